"""Verifies App Store JWS with Apple's own library and with verify-receipt, and compares what both read.

Called by Tools/interoperability, which makes the receipts. Apple's library checks the certificate chain with OpenSSL's
strict rules (X509_V_FLAG_X509_STRICT). Its online checks are off: they need the App Store's OCSP responder.

Three readings of a payload are compared, member by member: that of Apple's library, that of verify-receipt, and the JSON
of the payload as this program decodes it.
"""

import argparse
import base64
import collections
import importlib.metadata
import json
import ssl
import subprocess
import sys
import tempfile
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


class OtherVerifier:
    """The command-line tool verify-receipt."""

    # As many paths as fit into one command line.
    FILES_PER_RUN = 500

    def __init__(self, tool, options):
        self.command = [tool, "verify", "--json", "--quiet", "--only-given-roots", "--root", str(options.root)]
        app = options.bundle_id if options.app_apple_id is None else f"{options.bundle_id}={options.app_apple_id}"
        self.options = ["--bundle-id", app] + [word for item in CHECKED for word in ("--environment", item.value)]

    def results(self, paths):
        """Returns the results for files with one JWS each, in order."""
        results = []
        for start in range(0, len(paths), self.FILES_PER_RUN):
            some = [str(path) for path in paths[start : start + self.FILES_PER_RUN]]
            run = subprocess.run(self.command + self.options + some, capture_output=True, check=False, text=True)
            lines = [json.loads(line) for line in run.stdout.splitlines()]
            lines = [line for line in lines if line["type"] == "result"]
            if len(lines) != len(some):
                raise Difference(f"verify-receipt has {len(lines)} results for {len(some)} files: {run.stderr}")
            results += lines
        return results


class Checker:
    """Verifies receipts under one root and counts them."""

    def __init__(self, root, bundle_id, app_apple_id):
        self.root, self.bundle_id, self.app_apple_id = root, bundle_id, app_apple_id
        self.counts = collections.Counter()
        # How often each member occurred, and each value of the members with few values.
        self.contents = collections.Counter()
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

    def check(self, jws, result, is_nested=False):
        """Checks one JWS, and those inside it: both verifiers accept it and read the same.

        Returns the library's method for the kind of the JWS."""
        members = payload_of(jws)
        kind = kind_of(members)
        verify = getattr(self.verifier(environment_of(members)), KINDS[kind][1])
        try:
            model = verify(jws)
        except VerificationException as error:
            raise Difference(f"{kind}: rejected: {error.status.name}: {error.__cause__}") from error
        except Exception as error:  # The library has its own errors for payloads that it cannot read.
            raise Difference(f"{kind}: the library failed: {error!r}") from error
        if result["verdict"] != "verified" or result["kind"] != kind:
            raise Difference(f"{kind}: verify-receipt: {result['kind']} {result['verdict']} {result['code']}")
        self.compare(model, members, result["payload"], kind)
        self.counts[f"nested {kind}" if is_nested else kind] += 1
        nested = {item["name"]: item for item in result["nested"]}
        for container in (members.get("data"), members.get("appData")):
            for name in NESTED:
                if container and name in container:
                    if name not in nested:
                        raise Difference(f"{kind}: verify-receipt did not verify {name}")
                    self.check(container[name], nested[name], is_nested=True)
        return verify

    def check_changed(self, jws, verify, result):
        """Checks that both verifiers reject a JWS with one byte changed."""
        try:
            verify(jws)
        except VerificationException:
            pass
        else:
            raise Difference("accepted with a changed byte")
        if result["verdict"] != "unverified":
            raise Difference(f"with a changed byte, verify-receipt says {result['verdict']}")
        self.rejected += 1

    def compare(self, model, members, ours, place):
        """Compares each member of a payload with what the library and verify-receipt have read."""
        if set(ours) != set(members):
            raise Difference(f"{place}: verify-receipt read other members: {sorted(set(ours) ^ set(members))}")
        for name, expected in members.items():
            found = getattr(model, name, None)
            if isinstance(expected, dict) and attrs.has(type(found)):
                self.compare(found, expected, ours[name], f"{place}.{name}")
                continue
            if plain(found) != expected:
                raise Difference(f"{place}.{name}: read as {found!r}, expected {expected!r}")
            if ours[name] != expected:
                raise Difference(f"{place}.{name}: verify-receipt read {ours[name]!r}, expected {expected!r}")
            self.fields += 1
            self.contents[f"{place}.{name}"] += 1
            if not isinstance(expected, list):
                self.contents[f"{place}.{name}={expected}"] += 1


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


def write(texts, folder):
    """Writes each text to a file of its own and returns the paths."""
    paths = []
    for number, text in enumerate(texts):
        paths.append(Path(folder, f"{number}.jws"))
        paths[-1].write_text(text, encoding="ascii")
    return paths


def main():
    parser = argparse.ArgumentParser(prog="interoperability", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--bundle-id", required=True)
    parser.add_argument("--app-apple-id", type=int)
    parser.add_argument("--verify-receipt", required=True, metavar="TOOL")
    parser.add_argument("--require", action="append", default=[], metavar="KIND=COUNT")
    parser.add_argument("--content", action="append", default=[], metavar="KIND.MEMBER[=VALUE]")
    options = parser.parse_args()

    try:
        root = options.root.read_bytes()
        if root.startswith(b"-----BEGIN"):
            root = ssl.PEM_cert_to_DER_cert(root.decode("ascii"))
    except (OSError, ValueError) as error:
        parser.error(f"--root: {error}")
    checker = Checker(root, options.bundle_id, options.app_apple_id)
    failures = 0

    def fail(message):
        nonlocal failures
        failures += 1
        if failures <= 10:
            print(f"interoperability: {message}", file=sys.stderr)

    items = list(receipts(options.folder))
    # The changed byte is in the header, the payload and the signature of every three receipts.
    changes = [changed(jws, number % 3) if jws.count(".") == 2 else jws for number, (_, jws) in enumerate(items)]
    try:
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as changed_folder:
            other = OtherVerifier(options.verify_receipt, options)
            results = other.results(write([jws for _, jws in items], folder))
            changed_results = other.results(write(changes, changed_folder))
    except (OSError, ValueError, Difference) as error:
        parser.error(f"--verify-receipt: {error}")
    for (name, jws), result, change, changed_result in zip(items, results, changes, changed_results, strict=True):
        try:
            verify = checker.check(jws, result)
            checker.check_changed(change, verify, changed_result)
        except Difference as difference:
            fail(f"{name}: {difference}")
    for requirement in options.require:
        kind, _, count = requirement.partition("=")
        if checker.counts[kind] < int(count):
            fail(f"{checker.counts[kind]} of {count} {kind}")
    for content in options.content:
        if not checker.contents[content]:
            fail(f"no receipt has {content}")
    if not checker.counts and not failures:
        fail(f"no App Store JWS in {options.folder}")
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(checker.counts.items()))
    contents = f", {len(options.content)} required contents" if options.content else ""
    print(
        f"{LIBRARY} {importlib.metadata.version(LIBRARY)} and verify-receipt: {checker.counts.total()} accepted "
        f"({kinds}), {checker.fields} fields as signed{contents}, {checker.rejected} changed ones rejected, "
        f"{failures} differences"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
