"""app-receipt-regions.json: one bit changed in each region of an app receipt, whether a signature covers it or not."""

from .. import der
from ..appreceipt import OLD, OLD_DATE, ROOT, STANDARD, flipped, payload, receipt
from ..certs import INTERMEDIATE_MARKER, LEAF_MARKER
from ..vectorfile import VectorFile

CERTIFICATES = (1, 0, 3)
SIGNER = (1, 0, 4, 0)
# The elements of the container, by their paths: the region, the code for its identifier, and that for its contents.
ELEMENTS = [
    # Bytes that do not begin with a SEQUENCE are read as base64.
    ("the container", (), "encoding", None),
    ("the type of the container", (0,), "container-malformed", "container-malformed"),
    ("[0] around the SignedData", (1,), "container-malformed", None),
    ("the SignedData", (1, 0), "container-malformed", None),
    ("the version", (1, 0, 0), "container-malformed", "container-unsupported"),
    ("the digest algorithms", (1, 0, 1), "container-malformed", None),
    ("the digest algorithm", (1, 0, 1, 0), "receipt-algorithm", None),
    ("its OID", (1, 0, 1, 0, 0), "receipt-algorithm", "receipt-algorithm"),
    ("its parameters", (1, 0, 1, 0, 1), "receipt-algorithm", None),
    ("the content info", (1, 0, 2), "container-malformed", None),
    ("the type of the content", (1, 0, 2, 0), "container-malformed", "container-unsupported"),
    ("[0] around the content", (1, 0, 2, 1), "container-malformed", None),
    ("the content", (1, 0, 2, 1, 0), "container-malformed", "signature-invalid"),
    ("the certificates", CERTIFICATES, "container-malformed", None),
    ("the leaf", (*CERTIFICATES, 0), "container-malformed", None),
    ("the intermediate", (*CERTIFICATES, 1), "container-malformed", None),
    ("the root", (*CERTIFICATES, 2), "container-malformed", None),
    ("the signers", (1, 0, 4), "container-malformed", None),
    ("the signer", SIGNER, "container-malformed", None),
    ("the signer's version", (*SIGNER, 0), "container-malformed", "container-unsupported"),
    ("the signer's name", (*SIGNER, 1), "container-malformed", None),
    ("the issuer in it", (*SIGNER, 1, 0), "container-malformed", "signer-mismatch"),
    ("the serial number in it", (*SIGNER, 1, 1), "container-malformed", "signer-mismatch"),
    ("the signer's digest algorithm", (*SIGNER, 2), "container-malformed", None),
    ("its OID", (*SIGNER, 2, 0), "receipt-algorithm", "receipt-algorithm"),
    ("its parameters", (*SIGNER, 2, 1), "receipt-algorithm", None),
    ("the signature algorithm", (*SIGNER, 3), "container-malformed", None),
    ("its OID", (*SIGNER, 3, 0), "receipt-algorithm", "receipt-algorithm"),
    ("its parameters", (*SIGNER, 3, 1), "receipt-algorithm", None),
    ("the signature", (*SIGNER, 4), "container-malformed", "signature-invalid"),
]


def build():
    file = VectorFile("app-receipt-regions.json", "app receipts: one bit changed in each region, signed or not")
    elements(file)
    certificates(file)
    old_generation(file)
    return file


def elements(file):
    good = receipt()
    tests = file.app_receipts(
        "A bit of the identifier, the length or the contents of each element", [ROOT], STANDARD.ders()
    )
    tests.verified("no bit changed", good)
    for name, path, identifier, contents in ELEMENTS:
        start, inside, end = der.place(good, *path)
        # The lowest bit turns SEQUENCE into SET, and [0] into [1].
        tests.refused(f"{name}: identifier", flipped(good, start), identifier)
        # A longer element takes bytes of the next one, or goes beyond the end.
        longer = next(bit for bit in range(8) if not good[inside - 1] >> bit & 1)
        compared = "receipt-algorithm" if identifier == "receipt-algorithm" else "container-malformed"
        tests.refused(f"{name}: length", flipped(good, inside - 1, longer), compared)
        if contents:
            tests.refused(f"{name}: last bit of the contents", flipped(good, end - 1), contents)


def certificates(file):
    good = receipt()
    tests = file.app_receipts("A bit of a certificate", [ROOT], STANDARD.ders())
    # Places in a certificate of version 3: version, serial, algorithm, issuer, validity, subject, key, extensions.
    parts = {"serial": 1, "algorithm": 2, "issuer": 3, "validity": 4, "subject": 5, "key": 6}
    chain, signer = "chain-invalid", "signer-mismatch"
    for index, name, expected in [
        (0, "leaf", {"serial": signer, "issuer": signer, "validity": chain, "subject": chain, "key": chain}),
        (1, "intermediate", {"serial": chain, "issuer": chain, "validity": chain, "subject": chain, "key": chain}),
        (2, "root", dict.fromkeys(("serial", "validity", "key"), "untrusted-root") | {"subject": chain}),
    ]:
        for part, code in expected.items():
            _, _, end = der.place(good, *CERTIFICATES, index, 0, parts[part])
            # The last byte but eight of a key is in its modulus; that of a date is a digit.
            offset = end - 9 if part == "key" else end - 2
            tests.refused(f"the {part} of the {name}", flipped(good, offset), code)
        _, _, end = der.place(good, *CERTIFICATES, index, 2)
        tests.refused(f"the signature on the {name}", flipped(good, end - 1), "untrusted-root" if index == 2 else chain)
    for marker, code in [(LEAF_MARKER, "leaf-marker-missing"), (INTERMEDIATE_MARKER, "intermediate-marker-missing")]:
        oid = der.oid(marker)
        tests.refused(f"the marker {marker}", flipped(good, good.index(oid) + len(oid) - 1), code)


def old_generation(file):
    content = payload(a12=OLD_DATE)
    good = receipt(content, OLD, "sha1")
    tests = file.app_receipts("The generation of SHA-1", [ROOT], OLD.ders())
    tests.verified("no bit changed", good)
    for comment, path, code in [
        ("the digest algorithm of the container", (1, 0, 1, 0, 0), "receipt-algorithm"),
        ("the digest algorithm of the signer", (*SIGNER, 2, 0), "receipt-algorithm"),
        ("the content", (1, 0, 2, 1, 0), "signature-invalid"),
        ("the signature", (*SIGNER, 4), "signature-invalid"),
        ("the signature on the leaf", (*CERTIFICATES, 0, 2), "chain-invalid"),
        ("the signature on the intermediate", (*CERTIFICATES, 1, 2), "chain-invalid"),
        ("the signature on the root", (*CERTIFICATES, 2, 2), "untrusted-root"),
    ]:
        _, _, end = der.place(good, *path)
        tests.refused(f"last bit of {comment}", flipped(good, end - 1), code)
