"""Verifies App Store JWS with Apple's own library and compares every field that it reads with the payload.

Called by Tools/interoperability, which makes the receipts. Apple's library checks the certificate chain with OpenSSL's
strict rules (X509_V_FLAG_X509_STRICT). Its online checks are off: they need the App Store's OCSP responder.
"""

import argparse
import base64
import collections
import importlib.metadata
import json
import ssl
import sys
from enum import Enum
from pathlib import Path
from uuid import UUID

import attrs
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

LIBRARY = "app-store-server-library"
# The member that only one kind of payload has, and the library's method for that kind.
KINDS = {
    "notification": ("notificationType", "verify_and_decode_notification"),
    "realtimeRequest": ("userLocale", "verify_and_decode_realtime_request"),
    "appTransaction": ("receiptType", "verify_and_decode_app_transaction"),
    "transaction": ("transactionId", "verify_and_decode_signed_transaction"),
    "renewalInfo": ("autoRenewStatus", "verify_and_decode_renewal_info"),
}
NESTED = ("signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo")
# In these environments the library checks no signature.
CHECKED = (Environment.SANDBOX, Environment.PRODUCTION)


class Difference(Exception):
    """What the library does with a receipt is not what is expected."""


def segments(jws):
    parts = jws.split(".")
    if len(parts) != 3:
        raise Difference("not a JWS in compact form")
    return parts


def payload_of(jws):
    """Returns the members of a payload, unverified, with this program's own base64 and JSON."""
    text = segments(jws)[1]
    try:
        members = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except ValueError as error:
        raise Difference(f"the payload cannot be decoded: {error}") from error
    if not isinstance(members, dict):
        raise Difference("the payload is not a JSON object")
    return members


def kind_of(members):
    for kind, (member, _) in KINDS.items():
        if member in members:
            return kind
    raise Difference("the payload has no member that tells its kind")


def environment_of(members):
    data = members.get("data") or members.get("summary") or members.get("appData") or members
    name = data.get("environment", members.get("receiptType"))
    for environment in CHECKED:
        if environment.value == name:
            return environment
    raise Difference(f"{LIBRARY} checks no signature in the environment {name!r}")


class Checker:
    """Verifies receipts under one root and counts them."""

    def __init__(self, root, bundle_id, app_apple_id):
        self.root, self.bundle_id, self.app_apple_id = root, bundle_id, app_apple_id
        self.counts = collections.Counter()
        self.fields = 0
        self.rejected = 0
        self.verifiers = {}

    def verifier(self, environment):
        if environment not in self.verifiers:
            if environment is Environment.PRODUCTION and self.app_apple_id is None:
                raise Difference("a receipt of Production needs --app-apple-id")
            self.verifiers[environment] = SignedDataVerifier(
                [self.root], False, environment, self.bundle_id, self.app_apple_id
            )
        return self.verifiers[environment]

    def check(self, jws, is_nested=False):
        """Checks one JWS and those inside it: accepted as it is, rejected after a change of one byte.

        The changed byte is in the header, the payload and the signature of every three receipts of a kind."""
        members = payload_of(jws)
        kind = kind_of(members)
        verify = getattr(self.verifier(environment_of(members)), KINDS[kind][1])
        try:
            model = verify(jws)
        except VerificationException as error:
            raise Difference(f"{kind}: rejected: {error.status.name}: {error.__cause__}") from error
        except Exception as error:  # The library has its own errors for payloads that it cannot read.
            raise Difference(f"{kind}: the library failed: {error!r}") from error
        self.compare(model, members, kind)
        label = f"nested {kind}" if is_nested else kind
        try:
            verify(changed(jws, self.counts[label] % 3))
        except VerificationException:
            self.rejected += 1
        else:
            raise Difference(f"{kind}: accepted with a changed byte")
        self.counts[label] += 1
        for container in (members.get("data"), members.get("appData")):
            for name in NESTED:
                if container and name in container:
                    self.check(container[name], is_nested=True)

    def compare(self, model, members, place):
        """Compares each member of a payload with the attribute that the library has read."""
        for name, expected in members.items():
            found = getattr(model, name, None)
            if isinstance(expected, dict) and attrs.has(type(found)):
                self.compare(found, expected, f"{place}.{name}")
                continue
            if plain(found) != expected:
                raise Difference(f"{place}.{name}: read as {found!r}, expected {expected!r}")
            self.fields += 1


def plain(value):
    """Returns the JSON value of an attribute."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def changed(jws, index):
    """Returns a copy of a JWS with one byte changed: in the header (0), in the payload (1) or in the signature (2)."""
    parts = segments(jws)
    part = parts[index]
    # Not the last character, whose spare bits some decoders ignore.
    middle = len(part) // 2
    parts[index] = part[:middle] + ("B" if part[middle] == "A" else "A") + part[middle + 1 :]
    return ".".join(parts)


def receipts(folder):
    """Returns the name and the text of every App Store JWS in a folder; a file has one for each line, or is JSON."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        text = path.read_text(encoding="utf-8", errors="replace").strip()
        if text.startswith("{"):
            try:
                text = json.loads(text).get("signedPayload", "")
            except ValueError:
                text = ""
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("eyJ"):
                yield f"{path.relative_to(folder)}:{number}", line.strip()


def main():
    parser = argparse.ArgumentParser(prog="interoperability", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--bundle-id", required=True)
    parser.add_argument("--app-apple-id", type=int)
    parser.add_argument("--require", action="append", default=[], metavar="KIND=COUNT")
    options = parser.parse_args()

    try:
        root = options.root.read_bytes()
        if root.startswith(b"-----BEGIN"):
            root = ssl.PEM_cert_to_DER_cert(root.decode("ascii"))
    except (OSError, ValueError) as error:
        parser.error(f"--root: {error}")
    checker = Checker(root, options.bundle_id, options.app_apple_id)
    failures = 0
    for name, jws in receipts(options.folder):
        try:
            checker.check(jws)
        except Difference as difference:
            failures += 1
            if failures <= 10:
                print(f"interoperability: {name}: {difference}", file=sys.stderr)
    for requirement in options.require:
        kind, _, count = requirement.partition("=")
        if checker.counts[kind] < int(count):
            failures += 1
            print(f"interoperability: {checker.counts[kind]} of {count} {kind}", file=sys.stderr)
    if not checker.counts and not failures:
        failures += 1
        print(f"interoperability: no App Store JWS in {options.folder}", file=sys.stderr)
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(checker.counts.items()))
    print(
        f"{LIBRARY} {importlib.metadata.version(LIBRARY)}: {checker.counts.total()} accepted ({kinds}), "
        f"{checker.fields} fields as signed, {checker.rejected} changed ones rejected, {failures} differences"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
