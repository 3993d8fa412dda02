# Uses the wheel that carries OpenSSL and Jansson in a bare Debian root without these libraries. Run there by
# Tools/package wheel --bundled --check, with the files of the wheel, the samples and a policy beside it.
# shellcheck shell=sh
set -eu
cd "$(dirname "$0")"
fail() { printf '%s\n' "$*"; exit 1; }

# Debian's Python depends on OpenSSL for other modules.
# shellcheck disable=SC2046
dpkg --force-depends --purge $(dpkg-query -W -f "\${Package}\n" "libssl3*") >/dev/null \
    || fail "libssl3 cannot be removed"
! ldconfig -p | grep -E 'libcrypto|libssl|libjansson|[Ss]wift' || fail "the root has a library that the wheel carries"
interpreter=/usr/bin/python3
PYTHONPATH=$PWD/site "$interpreter" -c '
import receiptverify

verifier = receiptverify.Verifier.from_file("policy.json")
receipt = open("samples/transaction.jws").read().strip()
assert verifier.verify(receipt).is_verified, verifier.verify(receipt)
assert not verifier.verify(receipt[:-4] + "AAAA").is_verified
print("receiptverify verifies without OpenSSL, Jansson and Swift of the system")
' || fail "the wheel does not verify the sample"
