"""The structure of a vector file: groups of tests, with IDs counted per file."""

import json

from .flags import FLAGS
from .jws import b64

UNDECIDED = {
    "format-unrecognized",
    "not-a-receipt",
    "empty",
    "legacy-receipt-unsupported",
    "key-not-found",
    "key-invalid",
    "no-trust-anchor",
    "internal-error",
}
CLOCK = "2025-11-01T00:00:00Z"


class VectorFile:
    """A vector file under construction; `about` is its subject in the README."""

    def __init__(self, file_name, about):
        self.name, self.about, self.groups = file_name, about, []

    def group(self, kind, comment, **fields):
        group = Group(self, {"type": kind, "comment": comment, **fields})
        self.groups.append(group)
        return group

    def jws(self, comment, roots, policy=None, clock=CLOCK, **fields):
        """Adds a group of JWS tests with these certificates, or results of `anchored`, as the only trust anchors."""
        encoded = [root if isinstance(root, dict) else b64(root.der) for root in roots]
        return self.group("jws", comment, roots=encoded, clock=clock, policy=policy or {}, **fields)

    def app_receipts(self, comment, roots, shared, policy=None, clock=CLOCK, **fields):
        """Adds a group of app receipts with these trust anchors; the `shared` bytes stand once, for all its tests."""
        encoded = [root if isinstance(root, dict) else b64(root.der) for root in roots]
        settings = {"type": "app-receipt", "comment": comment, "roots": encoded, "clock": clock, "policy": policy or {}}
        group = ReceiptGroup(self, {**settings, **fields, "shared": [b64(octets) for octets in shared]})
        group.shared = shared
        self.groups.append(group)
        return group

    def tests(self):
        return [test for group in self.groups for test in group.tests]

    def encoded(self):
        """Returns the file as JSON."""
        flags = sorted({flag for test in self.tests() for flag in test["flags"]})
        document = {
            "schema": "receipt-vectors-1",
            "generator": "Tools/generate-vectors",
            "numberOfTests": len(self.tests()),
            "notes": {flag: FLAGS[flag] for flag in flags},
            "groups": [{**group.fields, "tests": group.tests} for group in self.groups if group.tests],
        }
        return (json.dumps(document, indent=1, ensure_ascii=True) + "\n").encode()


class Group:
    """A group of tests that share their settings."""

    def __init__(self, file, fields):
        self.file, self.fields, self.tests = file, fields, []

    def add(self, comment, flags, **fields):
        test = {"id": len(self.file.tests()) + 1, "comment": comment, "flags": flags.split(), **fields}
        self.tests.append(test)

    def verified(self, comment, jws, kind="transaction", flags="Valid", **overrides):
        self.add(comment, flags, **overrides, **jws_fields(jws), verdict="verified", code=None, kind=kind)

    def refused(self, comment, jws, code, flags="OneFlaw", **overrides):
        self.add(comment, flags, **overrides, **jws_fields(jws), verdict=verdict_of(code), code=code)


class ReceiptGroup(Group):
    """A group of app receipts: bytes, the text of one, or a list of parts to concatenate."""

    shared = ()

    def verified(self, comment, receipt, flags="Valid", **overrides):
        fields = {**overrides, **self.receipt_fields(receipt)}
        self.add(comment, flags, **fields, verdict="verified", code=None, kind="appReceipt")

    def refused(self, comment, receipt, code, flags="OneFlaw", **overrides):
        fields = {**overrides, **self.receipt_fields(receipt)}
        self.add(comment, flags, **fields, verdict=verdict_of(code), code=code)

    def receipt_fields(self, receipt):
        if isinstance(receipt, str):
            return {"text": receipt}
        parts = receipt if isinstance(receipt, list) else self.parts(receipt)
        return {"receipt": parts[0] if len(parts) == 1 else parts}

    def parts(self, octets):
        """Returns bytes as base64, with the places of shared bytes between them."""
        for index, known in enumerate(self.shared):
            if known in octets:
                before, after = octets.split(known, 1)
                return [*self.parts(before), index, *self.parts(after)]
        return [b64(octets)] if octets else []


def jws_fields(jws):
    """Returns the member for a JWS: a string, a list of parts, or base64 if it contains NUL, which readers reject."""
    if isinstance(jws, str) and "\0" in jws:
        return {"jwsBase64": b64(jws.encode())}
    return {"jws": jws} if isinstance(jws, str) else {"jwsParts": jws}


def anchored(root, environments=None, built_in=False):
    """Returns a root of a group with a limit to environments, or one that is to count as built in.

    `built_in` is true for receipts of the group's format, and "jws" for JWS only.
    """
    limit = {} if environments is None else {"environments": list(environments)}
    return {"certificate": b64(root.der), **limit, **({"builtIn": built_in} if built_in else {})}


def verdict_of(code):
    return "undecided" if code in UNDECIDED else "unverified"
