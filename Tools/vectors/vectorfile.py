"""The form of a vector file: groups of tests, numbered over the file."""

import json

from .flags import FLAGS
from .jws import b64

UNDECIDED = {"legacy-receipt-unsupported", "key-not-found", "key-invalid", "no-trust-anchor", "internal-error"}
CLOCK = "2025-11-01T00:00:00Z"


class VectorFile:
    """One file under construction."""

    def __init__(self, file_name, about):
        self.name, self.about, self.groups = file_name, about, []

    def group(self, kind, comment, **fields):
        group = Group(self, {"type": kind, "comment": comment, **fields})
        self.groups.append(group)
        return group

    def jws(self, comment, roots, policy=None, clock=CLOCK, **fields):
        """A group of JWS tests under these certificates as the only roots."""
        encoded = [b64(root.der) for root in roots]
        return self.group("jws", comment, roots=encoded, clock=clock, policy=policy or {}, **fields)

    def tests(self):
        return [test for group in self.groups for test in group.tests]

    def encoded(self):
        """The file's octets."""
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
    """A group of tests that share their setting."""

    def __init__(self, file, fields):
        self.file, self.fields, self.tests = file, fields, []

    def add(self, comment, flags, **fields):
        test = {"id": len(self.file.tests()) + 1, "comment": comment, "flags": flags.split(), **fields}
        self.tests.append(test)

    def verified(self, comment, jws, kind="transaction", flags="Valid", **overrides):
        self.add(comment, flags, **overrides, **jws_fields(jws), verdict="verified", code=None, kind=kind)

    def refused(self, comment, jws, code, flags="OneFlaw", **overrides):
        self.add(comment, flags, **overrides, **jws_fields(jws), verdict=verdict_of(code), code=code)


def jws_fields(jws):
    """A JWS is a text, or a list of parts of which some repeat; base64 where it has a NUL, which readers refuse."""
    if isinstance(jws, str) and "\0" in jws:
        return {"jwsBase64": b64(jws.encode())}
    return {"jws": jws} if isinstance(jws, str) else {"jwsParts": jws}


def verdict_of(code):
    return "undecided" if code in UNDECIDED else "unverified"
