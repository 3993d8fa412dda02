"""Every test vector that contains a receipt, through the Python package.

The library of these tests, receiptverify-vectors, can create verifiers with the policies, roots and clocks of vectors.
Everything else is as in the library that is installed.
"""

import base64
import ctypes
import json
import os
from urllib.parse import unquote

import pytest
from conftest import ROOT

from receiptverify import Result, Verifier
from receiptverify import _library

if not hasattr(_library.library, "receiptverify_vectors_create"):
    pytest.skip("this library cannot create the verifiers of vectors", allow_module_level=True)

_create = _library.library.receiptverify_vectors_create
_create.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
_create.restype = ctypes.c_void_p

# The codes of inputs in which this package recognizes no receipt, where a vector names the format.
# The OID of a SignedData in DER, with which the container of an app receipt begins.
_SIGNED_DATA = bytes.fromhex("06092a864886f70d010702")
_INPUT_CODES = {"not-a-receipt", "format-unrecognized", "legacy-receipt-unsupported", "empty", "too-large"}


class VectorHandle(_library.Handle):
    """The handle of a verifier for one vector."""

    def __init__(self, group, test):
        vector = json.dumps({"group": group, "test": test}).encode("utf-8", "surrogatepass")
        self._process = os.getpid()
        self._address = ctypes.c_void_p(_create(vector, len(vector)))
        assert self._address, "the verifier cannot be set up"


def verifier_for(group, test):
    verifier = Verifier.__new__(Verifier)
    verifier._handle = VectorHandle(group, test)
    return verifier


def receipt_of(group, test):
    if group["type"] == "play":
        return test["input"]
    if group["type"] == "app-receipt":
        if "text" in test:
            return test["text"]
        parts = test["receipt"] if isinstance(test["receipt"], list) else [test["receipt"]]
        return b"".join(_octets(part, group) for part in parts)
    if "jws" in test:
        return test["jws"]
    if "jwsBase64" in test:
        return base64.b64decode(test["jwsBase64"])
    return "".join(part.get("text", "") or part["repeat"] * part["count"] for part in test["jwsParts"])


def _octets(part, group):
    if isinstance(part, int):
        return base64.b64decode(group["shared"][part])
    if isinstance(part, str):
        return base64.b64decode(part)
    return base64.b64decode(part["repeat"]) * part.get("count", 1)


def groups():
    for path in sorted((ROOT / "TestVectors").glob("*.json")):
        for number, group in enumerate(json.loads(path.read_text()).get("groups", [])):
            if group["type"] in ("jws", "app-receipt", "play"):
                yield pytest.param(group, id=f"{path.stem}-{number}")


def outcome(result: Result, test):
    """The parts of a result that a vector names."""
    actual = {"verdict": str(result.verdict)}
    if "code" in test:
        actual["code"] = result.code
    if "kind" in test and "code" not in test:
        actual["kind"] = result.kind
    if "missing" in test:
        actual["missing"] = list(result.members.get("missing", []))
    if "contents" in test:
        actual["contents"] = result.payload
    return actual


@pytest.mark.parametrize("group", groups())
def test_vectors(group):
    shared = {name: value for name, value in group.items() if name not in ("tests", "shared")}
    differences = []
    for test in group["tests"]:
        verifier = verifier_for(shared, {key: test[key] for key in ("policy", "clock", "keys") if key in test})
        receipt = receipt_of(group, test)
        expected = {key: test[key] for key in ("verdict", "code", "kind", "missing", "contents") if key in test}
        if "code" in expected:
            expected.pop("kind", None)
        # The second result comes from the key cache, and the third from a batch.
        for result in (verifier.verify(receipt), verifier.verify(receipt), *verifier.verify_many([receipt], jobs=1)):
            actual = outcome(result, test)
            if actual == expected or is_recognized_otherwise(verifier, receipt, expected, result):
                continue
            differences.append((test["id"], test.get("comment"), expected, actual))
    assert not differences


def is_recognized_otherwise(verifier, receipt, expected, result):
    """Returns whether a result differs because this package recognizes what the receipt is, which a vector names.

    Only inputs that are no receipt as they are differ: those without a receipt, those with several, an app receipt with
    a line break behind it, and a JWS with percent escapes, a byte order mark, or white space, which mail programs insert.
    All are removed, as verify-receipt does.
    """
    if result.code == "too-many-receipts":
        if isinstance(receipt, bytes):
            return receipt.count(_SIGNED_DATA) > 1
        return receipt.lstrip()[:1] in ("{", "[")
    if isinstance(receipt, bytes) and receipt.endswith(b"\n") and expected.get("code") == "container-malformed":
        unwrapped = verifier.verify(receipt[:-1])
        return (result.code, result.payload) == (unwrapped.code, unwrapped.payload)
    if isinstance(receipt, str) and expected.get("code") == "encoding":
        text = unquote(receipt) if "%" in receipt else "".join(receipt.lstrip("\ufeff").split())
        unwrapped = verifier.verify(text)
        if text != receipt and (result.code, result.payload) == (unwrapped.code, unwrapped.payload):
            return True
    return expected["verdict"] != "verified" and not result.is_verified and result.code in _INPUT_CODES
