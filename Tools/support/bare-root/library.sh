# Compiles the program of FromC.md in a bare Debian root with the packages of the library, and runs it. Run there by
# Tools/package deb --check, with the packages, the samples, a policy and the program beside it.
# shellcheck shell=sh
set -eu
cd "$(dirname "$0")"
say() { printf '%s\n' "$*"; }
fail() { say "$*"; exit 1; }
install() {
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" >log 2>&1 \
        || fail "cannot install $*: $(tail -n 5 log)"
}

install gcc libc6-dev pkgconf ./libreceiptverify0_*.deb ./libreceiptverify-dev_*.deb
# shellcheck disable=SC2046
gcc -Wall -Wextra -Werror -o verify verify.c $(pkg-config --cflags --libs receiptverify) \
    || fail "verify.c does not compile"
./verify policy.json samples/transaction.jws >result || fail "the program failed: $(cat result)"
grep -q '"verdict":"verified"' result || fail "the sample is not verified: $(cat result)"
./verify policy.json samples/tampered.jws | grep -q '"verdict":"unverified"' \
    || fail "the tampered sample is not rejected"
say "a program in C verifies with libreceiptverify $(pkg-config --modversion receiptverify)"
