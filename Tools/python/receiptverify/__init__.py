"""Verifies receipts of the App Store and of Google Play without a network.

    verifier = Verifier.from_file("policy.json")
    result = verifier.verify(receipt)
    if result.is_verified:
        grant(result.payload)
    else:
        log(result.code, result.explanation)
"""

from ._library import LibraryError, MisuseError, PolicyError, version
from ._policy import load_policy
from ._result import Anchor, NestedResult, Result, Verdict
from ._verifier import KINDS, Receipt, Verifier

__all__ = [
    "KINDS", "Anchor", "LibraryError", "MisuseError", "NestedResult", "PolicyError", "Receipt", "Result", "Verdict",
    "Verifier", "load_policy", "version",
]
