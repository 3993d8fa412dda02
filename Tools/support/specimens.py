"""Verifies the bad specimens of verify-receipt with Apple's own library, which must reject them.

Called by Tools/interoperability with the folder that `verify-receipt mint --all-flaws` has written. A receipt without
flaws must be accepted, and a flaw that the library does not look for must be accepted for the reason in ACCEPTED: if a
later version of the library finds one of them, the list is to be corrected.
"""

import argparse
import importlib.metadata
import json
import sys
from pathlib import Path

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

# The interpreter runs isolated, so that nothing but this folder is added to its path.
sys.path.insert(0, str(Path(__file__).parent))
from interoperability import KINDS, LIBRARY  # noqa: E402

# The flaws with which the library accepts a receipt, and why.
ACCEPTED = {
    "too-large": "the library has no limit for the size of a receipt",
    "distrusted-leaf": "the library has no list of distrusted certificates",
    "leaf-is-ca": "OpenSSL lets a certificate authority be the end of a chain",
    "leaf-key-usage": "the library names no purpose to OpenSSL, which then does not check the usage of the leaf's key",
    "sha1-certificate": "OpenSSL accepts SHA-1 in a chain at the security level that the library leaves unchanged",
    "duplicate-member": "Python's json keeps the last of two members",
    "future": "the library does not compare the signing time with the clock",
    "wrong-app-apple-id": "the library compares the App Store ID in Production only",
    "root-environment": "the library does not limit a root to environments",
    "production-under-test-root": "the library does not limit a root to environments",
    "wrong-product": "the library does not compare products",
    "revoked": "the library leaves revoked purchases to its caller",
    "unchecked-claim": "a renewal info names no app, and the library has no strict policy",
    "nested-mismatch": "the library does not read the receipts inside a notification",
    "nested-signature": "the library does not read the receipts inside a notification",
}


def environment_of(arguments):
    """Returns the environment that the arguments of verify require."""
    return Environment(arguments[arguments.index("--environment") + 1])


def accepts(folder, specimen):
    """Returns whether the library accepts a specimen as a receipt of its kind."""
    arguments = specimen["arguments"]
    # The kind that the caller expects, which a flaw can differ from.
    kind = arguments[arguments.index("--kind") + 1] if "--kind" in arguments else specimen["kind"]
    verifier = SignedDataVerifier(
        [(folder / specimen["root"]).read_bytes()], False, environment_of(arguments), specimen["bundleId"],
        specimen["appAppleId"],
    )
    text = (folder / specimen["file"]).read_text(encoding="utf-8").strip()
    try:
        getattr(verifier, KINDS[kind][1])(text)
    except VerificationException:
        return False
    except Exception:  # The library has its own errors for payloads that it cannot read.
        return False
    return True


def main():
    parser = argparse.ArgumentParser(prog="specimens", description=__doc__)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    lines = (options.folder / "specimens.jsonl").read_text(encoding="utf-8").splitlines()
    others = ("playPurchase", "appReceipt")
    specimens = [specimen for specimen in map(json.loads, lines) if specimen["kind"] not in others]
    rejected = accepted = good = failures = 0
    for specimen in specimens:
        flaw = specimen["flaw"]
        expected = flaw is None or flaw in ACCEPTED
        if accepts(options.folder, specimen) != expected:
            failures += 1
            verb = "rejects" if expected else "accepts"
            print(f"specimens: {LIBRARY} {verb} {specimen['file']}, {specimen['meaning']}", file=sys.stderr)
        good += flaw is None
        accepted += flaw in ACCEPTED
        rejected += not expected
    for flaw in sorted(set(ACCEPTED) - {specimen["flaw"] for specimen in specimens}):
        failures += 1
        print(f"specimens: there is no specimen with the flaw {flaw}", file=sys.stderr)
    if not good or not rejected:
        failures += 1
        print("specimens: there are no specimens", file=sys.stderr)
    print(
        f"{LIBRARY} {importlib.metadata.version(LIBRARY)}: {good} receipts without flaws accepted, {rejected} with a flaw "
        f"rejected, {accepted} accepted for a known reason, {failures} differences"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
