"""Verifies receipts with certificates of other test suites in them; none may be verified.

Called by Tools/foreign-certificates: foreign_certificates.py PROGRAM TOOLS
"""

import base64
import collections
import json
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import cryptography_vectors
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import pkcs12

# The test authority and the containers of the test vectors.
sys.path.insert(0, sys.argv[2])
from vectors import appreceipt, authority, certs, jws, payloads  # noqa: E402
from vectors.keys import HASHES  # noqa: E402

# Some of the certificates are wrong on purpose.
warnings.simplefilter("ignore")

PKITS_COUNT = 405
PASSWORD = b"password"
MALFORMED = "certificate-malformed"
# The codes with which each role of a certificate may be rejected.
CODES = {
    # Its issuer is not the intermediate of the test authority.
    "leaf of a JWS": {"chain-invalid"},
    "leaf of an app receipt": {"chain-invalid", "signer-mismatch"},
    # It has not issued the leaf.
    "intermediate of a JWS": {"chain-invalid"},
    "intermediate of an app receipt": {"chain-invalid"},
    # It has not issued the intermediate.
    "root of a JWS": {"chain-invalid"},
    "root of an app receipt": {"chain-invalid"},
    "given root, of a chain": {"chain-invalid"},
    # Alone, a given root verifies receipts of Xcode and of local testing; these are of Production.
    "given root, alone in a JWS": {"chain-length", "signature-invalid"},
    "given root, alone in an app receipt": {
        "chain-length", "signature-invalid", "environment-mismatch", "certificate-expired", "certificate-not-yet-valid",
    },
    # An app receipt that its own key has signed, under the certificates that issued it: none has the markers.
    "signer of an app receipt": {
        "unmarked-generation", "leaf-marker-missing", "leaf-is-ca", "leaf-key-unsupported", "leaf-key-usage",
    },
}  # fmt: skip
LEAF, SIGNER = "leaf of an app receipt", "signer of an app receipt"
# Results that CODES does not allow: the certificate's name and role, the code, and why it is right.
EXCEPTIONS = {
    ("cryptography-scts-tbs-precert.der", LEAF): ("container-malformed", "it is the inner part of a certificate"),
    ("custom/crl_inval_date_fractional_seconds.der", LEAF): ("container-malformed", "it is a revocation list"),
    ("InvalidEESignatureTest3EE.crt", SIGNER): ("chain-invalid", "its signature is wrong"),
    ("InvalidNameChainingTest1EE.crt", SIGNER): ("chain-invalid", "its issuer has another name"),
    ("InvalidNameChainingOrderTest2EE.crt", SIGNER): ("chain-invalid", "its issuer's name has another order"),
}


class Foreign:
    """A certificate, its name in the package, and its private key if the package has it."""

    def __init__(self, name, der, key=None):
        self.name, self.der, self.key = name, der, key
        try:
            self.x509 = x509.load_der_x509_certificate(der)
            self.subject, self.issuer = self.x509.subject.public_bytes(), self.x509.issuer.public_bytes()
        except (ValueError, TypeError, UnsupportedAlgorithm, x509.InvalidVersion):
            self.x509 = self.subject = self.issuer = None

    def is_issued_by(self, other):
        """Returns whether another's RSA key has signed the certificate, whatever the names."""
        if self.x509 is None or other.x509 is None:
            return False
        try:
            key, digest = other.x509.public_key(), self.x509.signature_hash_algorithm
            if not isinstance(key, rsa.RSAPublicKey):
                return False
            key.verify(self.x509.signature, self.x509.tbs_certificate_bytes, padding.PKCS1v15(), digest)
        except Exception:  # noqa: BLE001  every way in which a certificate can be wrong
            return False
        return True


class RSASigner:
    def __init__(self, key):
        self.key = key

    def sign(self, content, digest="sha256"):
        return self.key.sign(content, padding.PKCS1v15(), HASHES[digest]())


# MARK: Certificates


def pkits(folder):
    """Returns the certificates of NIST PKITS with their keys."""
    found = []
    for path in sorted((folder / "PKITS_data/certs").glob("*.crt")):
        store = (folder / "PKITS_data/pkcs12" / path.name).with_suffix(".p12")
        try:
            key, _, _ = pkcs12.load_key_and_certificates(store.read_bytes(), PASSWORD)
        except ValueError:  # keys of DSA whose parameters are those of the issuer
            key = None
        found.append(Foreign(path.name, path.read_bytes(), key))
    return found


def others(folder):
    """Returns the certificates in the other files of the package, without those of PKITS."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.suffix not in {".pem", ".der", ".crt"} or "PKITS_data" in path.parts:
            continue
        octets, name = path.read_bytes(), path.relative_to(folder).as_posix()
        blocks = re.findall(rb"-----BEGIN CERTIFICATE-----(.*?)-----END CERTIFICATE-----", octets, re.DOTALL)
        ders = [base64.b64decode(block) for block in blocks] or [octets] * (path.suffix == ".der")
        found += [Foreign(f"{name} {number}" if number else name, der) for number, der in enumerate(ders)]
    return found


# MARK: Receipts


def certificate(foreign, key):
    return certs.Certificate(foreign.der, foreign.subject or b"", key)


def jws_of(*ders):
    """Returns a JWS with these certificates, signed by the leaf of the test authority."""
    return jws.sign(payloads.brief_transaction(), x5c=[base64.b64encode(der).decode() for der in ders])


def app_receipt(certificates, key, **options):
    """Returns an app receipt with these certificates; nothing if the first one has no issuer and serial number."""
    try:
        made = appreceipt.receipt(by=authority.Chain(tuple(certificates), key), **options)
    except (IndexError, ValueError):
        return None
    return base64.b64encode(made).decode()


def in_test_chains(foreign):
    """Returns receipts of the test authorities in which the certificate has another's place."""
    leaf, middle, root = authority.STANDARD.ders()
    receipts = appreceipt.STANDARD.certificates
    own = foreign.key if isinstance(foreign.key, rsa.RSAPrivateKey) else None
    mine = certificate(foreign, None)
    found = [
        ("leaf of a JWS", jws_of(foreign.der, middle, root)),
        ("intermediate of a JWS", jws_of(leaf, foreign.der, root)),
        ("root of a JWS", jws_of(leaf, middle, foreign.der)),
        ("leaf of an app receipt", app_receipt([mine, *receipts[1:]], RSASigner(own) if own else appreceipt.LEAF_KEY)),
        ("intermediate of an app receipt", app_receipt([receipts[0], mine, receipts[2]], appreceipt.LEAF_KEY)),
        ("root of an app receipt", app_receipt([*receipts[:2], mine], appreceipt.LEAF_KEY)),
    ]
    return [(role, receipt) for role, receipt in found if receipt]


def under_itself(foreign):
    """Returns receipts whose last or only certificate is this one, which is then a given root."""
    leaf, middle, _ = authority.STANDARD.ders()
    own = foreign.key if isinstance(foreign.key, rsa.RSAPrivateKey) else None
    key = RSASigner(own) if own else appreceipt.LEAF_KEY
    edit = appreceipt.indefinite("container", "wrapper", "signedData")
    content = appreceipt.payload(a0="Production")
    found = [
        ("given root, of a chain", jws_of(leaf, middle, foreign.der)),
        ("given root, alone in a JWS", jws_of(foreign.der)),
        (
            "given root, alone in an app receipt",
            app_receipt([certificate(foreign, None)], key, content=content, edit=edit),
        ),
    ]
    return [(role, receipt) for role, receipt in found if receipt]


def signed_by(foreign, all_of_them):
    """Returns an app receipt that the certificate's own key has signed, and the root above its issuers.

    Where a certificate has no two issuers, its own or the last one is there twice.
    """
    if not isinstance(foreign.key, rsa.RSAPrivateKey):
        return None
    chain = [foreign]
    while len(chain) < 3:
        named = sorted(all_of_them, key=lambda other: other.subject != chain[-1].issuer)
        chain.append(next((other for other in named if chain[-1].is_issued_by(other)), chain[-1]))
    made = [certificate(entry, None) for entry in chain]
    return app_receipt(made, RSASigner(foreign.key)), chain[-1]


# MARK: Verdicts


class Check:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.counts, self.differences, self.used = collections.Counter(), [], set()

    def verify(self, receipts, roots, name_of_root=None):
        """Verifies the (name, role, receipt) under given roots, in one call."""
        options = ["--only-given-roots"]
        for number, der in enumerate(roots):
            path = self.folder / f"root-{number}"
            path.write_bytes(der)
            options += ["--root", str(path)]
        lines = "".join(receipt + "\n" for _, _, receipt in receipts)
        done = subprocess.run(
            [self.program, "batch", *options, "-"], input=lines.encode(), capture_output=True, timeout=600, check=False
        )
        if done.returncode == 2 and b"root-0 cannot be used as a root" in done.stderr:
            self.counts["given root: not a certificate in DER"] += 1
            return
        results = [json.loads(line) for line in done.stdout.splitlines()]
        if done.returncode != 1 or len(results) != len(receipts):
            found = f"exit code {done.returncode}, {len(results)} results for {len(receipts)} receipts"
            self.differences.append(f"{name_of_root or 'batch'}: {found}: {done.stderr.decode()[-300:]}")
            return
        for (name, role, _), result in zip(receipts, results, strict=True):
            self.judge(name, role, result)

    def judge(self, name, role, result):
        code = result["code"]
        self.counts[f"{role}: {code}"] += 1
        if result["verdict"] == "unverified" and code in CODES[role] | {MALFORMED}:
            return
        if EXCEPTIONS.get((name, role), (None,))[0] == code and code is not None:
            self.used.add((name, role))
            return
        self.differences.append(f"{name} as {role}: {result['verdict']}, {code}: {result.get('message')}")


def main(program):
    folder = Path(cryptography_vectors.__file__).parent / "x509"
    of_pkits, rest = pkits(folder), others(folder)
    if len(of_pkits) != PKITS_COUNT or len(rest) < 100:
        sys.exit(f"foreign-certificates: {len(of_pkits)} certificates of PKITS and {len(rest)} others")
    with tempfile.TemporaryDirectory() as name:
        check = Check(program, Path(name))
        foreign = of_pkits + rest
        placed = [(entry.name, role, text) for entry in foreign for role, text in in_test_chains(entry)]
        check.verify(placed, [authority.ROOT.der, appreceipt.ROOT.der])
        signed = [(entry, made) for entry in of_pkits if (made := signed_by(entry, of_pkits)) and made[0]]
        roots = {root.der: None for _, (_, root) in signed}
        for root in roots:
            receipts = [(e.name, "signer of an app receipt", text) for e, (text, own) in signed if own.der == root]
            check.verify(receipts, [root])
        for entry in foreign:
            receipts = [(entry.name, role, text) for role, text in under_itself(entry)]
            check.verify(receipts, [entry.der], entry.name)
    for unused in sorted(set(EXCEPTIONS) - check.used):
        check.differences.append(f"{unused[0]} as {unused[1]} is no exception any more")
    for line, count in sorted(check.counts.items()):
        print(f"{count:6} {line}")
    for difference in check.differences[:200]:
        print(f"difference: {difference}")
    print(f"{len(of_pkits)} certificates of PKITS and {len(rest)} others: {len(check.differences)} differences")
    return 1 if check.differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
