# Installs the packages of the tools and of Python in a bare Debian root, and uses them. Run there by Tools/package deb
# --check, with the packages, the samples and a policy beside it.
# shellcheck shell=sh
set -eu
cd "$(dirname "$0")"
say() { printf '%s\n' "$*"; }
fail() { say "$*"; exit 1; }
install() {
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" >log 2>&1 \
        || fail "cannot install $*: $(tail -n 5 log)"
}

# The tool alone, with what it depends on.
install ./verify-receipt_*.deb
verify="verify-receipt --root samples/root.der --only-given-roots --bundle-id com.example.app"
$verify samples/transaction.jws >result || fail "the sample is not verified: $(cat result)"
say "verify-receipt: $(head -n 1 result)"
code=0
$verify samples/tampered.jws >result || code=$?
[ "$code" -eq 1 ] || fail "the tampered sample has exit code $code: $(cat result)"

# A copy of the tool does not load what lies beside it.
mkdir beside
cp "$(command -v verify-receipt)" beside/
for library in libcrypto.so.3 libjansson.so.4 libc.so.6; do : >"beside/$library"; done
beside/verify-receipt --version >result 2>&1 || fail "the tool loads a library beside it: $(cat result)"

install ./local-store_*.deb ./purchases_*.deb ./paywall-preview_*.deb
for tool in verify-receipt local-store purchases paywall-preview; do
    say "$("$tool" --version), $(stat -L -c %s "$(command -v "$tool")") bytes"
    for file in "bash-completion/completions/$tool" "zsh/vendor-completions/_$tool" \
        "fish/vendor_completions.d/$tool.fish" "doc/$tool/copyright"; do
        [ -s "/usr/share/$file" ] || fail "/usr/share/$file is missing"
    done
    bash -c ". /usr/share/bash-completion/completions/$tool && complete -p $tool" >/dev/null \
        || fail "bash has no completion for $tool"
done
# A sale, from the store to the tool that verifies it.
export HOME="$PWD/home" LOCAL_STORE="$PWD/store"
mkdir -p "$HOME"
local-store init >/dev/null || fail "local-store cannot make a store"
local-store status >/dev/null || fail "local-store cannot show its store"

install man-db
for tool in verify-receipt local-store purchases paywall-preview; do
    man -w "$tool" >/dev/null || fail "man finds no page of $tool"
done

install ./libreceiptverify0_*.deb ./python3-receiptverify_*.deb
interpreter=/usr/bin/python3
"$interpreter" -c '
import receiptverify
from importlib.metadata import version

verifier = receiptverify.Verifier.from_file("policy.json")
receipt = open("samples/transaction.jws").read().strip()
assert verifier.verify(receipt).is_verified, verifier.verify(receipt)
assert not verifier.verify(receipt[:-4] + "AAAA").is_verified
print("receiptverify", version("receiptverify"), receiptverify.__file__)
' || fail "the Python package does not verify the sample"

! command -v swift || fail "there is a Swift"
! ldconfig -p | grep -i swift || fail "there is a Swift runtime"
say "installed: $(dpkg-query -W | wc -l) packages, none of Swift"
