"""App receipts: their attributes, the PKCS#7 container around them, and the RSA authority that signs them."""

import hashlib
from datetime import timedelta

from . import authority, certs, der
from .authority import Chain, make_intermediate, make_leaf, make_root
from .certs import basic_constraints, date, key_usage
from .jws import b64
from .keys import DIGEST_INFO_OIDS, RSAKey
from .payloads import APP_APPLE_ID, BUNDLE_ID, PRODUCT_ID, ms

# MARK: Authority

ROOT_KEY, INTERMEDIATE_KEY, LEAF_KEY = (
    RSAKey(f"app-receipt-{name}", 2048) for name in ("root", "intermediate", "leaf")
)
ROOT_NAME, INTERMEDIATE_NAME = certs.name("Receipt Root"), certs.name("Receipt Intermediate")
OTHER_NAME = certs.name("Other Receipt Root")


def root(subject=ROOT_NAME, key=ROOT_KEY, **options):
    return make_root(subject, key, **options)


def intermediate(issuer=None, key=INTERMEDIATE_KEY, subject=INTERMEDIATE_NAME, extensions=None, **options):
    return make_intermediate(issuer or ROOT, subject, key, extensions, **options)


def leaf(issuer=None, key=LEAF_KEY, subject=authority.LEAF_NAME, extensions=None, **options):
    return make_leaf(issuer or INTERMEDIATE, subject, key, extensions, **options)


def chain(lowest=None, middle=None, top=None):
    """Returns the standard chain with any of its certificates replaced."""
    lowest = lowest or LEAF
    return Chain((lowest, middle or INTERMEDIATE, top or ROOT), lowest.key)


def chain_under(top, **options):
    """Returns a chain of a standard intermediate and leaf under this root."""
    middle = intermediate(top, **options)
    return chain(leaf(middle), middle, top)


def single(key=LEAF_KEY, subject=authority.XCODE_NAME, **options):
    """Returns the only certificate of a receipt from Xcode: self-signed, CA, without a marker."""
    extensions = [basic_constraints(True, 0), key_usage(certs.DIGITAL_SIGNATURE)]
    dates = {"not_before": "2025-06-01", "not_after": "2026-06-01"}
    return certs.issue(subject, key, extensions=extensions, serial=1, **{**dates, **options})


ROOT = root()
INTERMEDIATE = intermediate()
LEAF = leaf()
STANDARD = chain()

# As the App Store signed until January 2024: SHA-1 in the certificates too.
OLD_DATES = {"not_before": "2021-01-01", "not_after": "2024-01-01", "digest": "sha1"}
OLD_INTERMEDIATE = intermediate(digest="sha1")
OLD = chain(leaf(OLD_INTERMEDIATE, **OLD_DATES), OLD_INTERMEDIATE)
OLD_DATE = "2023-06-01T12:00:00Z"

XCODE = single()
XCODE_CHAIN = Chain((XCODE,), LEAF_KEY)

# A second authority, complete and consistent, with the same keys in other places.
OTHER_ROOT = root(OTHER_NAME, INTERMEDIATE_KEY)
OTHER_INTERMEDIATE = intermediate(OTHER_ROOT, LEAF_KEY, certs.name("Other Receipt Intermediate"))
OTHER = chain(leaf(OTHER_INTERMEDIATE, ROOT_KEY), OTHER_INTERMEDIATE, OTHER_ROOT)

# MARK: Attributes

CREATED = "2025-10-01T12:00:00Z"
PURCHASE = 17
# The encoding and the name of each attribute with a published meaning.
RECEIPT_ATTRIBUTES = {
    0: ("text", "receiptType"),
    1: ("integer", "appAppleId"),
    2: ("text", "bundleId"),
    3: ("text", "applicationVersion"),
    4: ("bytes", "opaqueValue"),
    5: ("bytes", "deviceHash"),
    10: ("ascii", "ageRating"),
    12: ("date", "receiptCreationDate"),
    13: ("integer", "operatingSystemVersion"),
    15: ("integer", "downloadId"),
    16: ("integer", "versionExternalIdentifier"),
    18: ("date", "originalPurchaseDate"),
    19: ("text", "originalApplicationVersion"),
    21: ("date", "expirationDate"),
}
PURCHASE_ATTRIBUTES = {
    1701: ("integer", "quantity"),
    1702: ("text", "productId"),
    1703: ("text", "transactionId"),
    1704: ("date", "purchaseDate"),
    1705: ("text", "originalTransactionId"),
    1706: ("date", "originalPurchaseDate"),
    1707: ("integer", "productType"),
    1708: ("date", "expiresDate"),
    1710: ("integer", "productAppleId"),
    1711: ("integer", "webOrderLineItemId"),
    1712: ("date", "cancellationDate"),
    1713: ("integer", "isTrialPeriod"),
    1719: ("integer", "isInIntroOfferPeriod"),
    1720: ("integer", "cancellationReason"),
    1721: ("text", "promotionalOfferId"),
}
ENCODERS = {
    "text": der.utf8_string,
    "ascii": der.ia5_string,
    "date": der.ia5_string,
    "integer": der.integer,
    "bytes": lambda octets: octets,
}


def attribute(number, value, version=1):
    """Returns the attribute with this value, which is encoded already."""
    return der.sequence(der.integer(number), der.integer(version), der.octet_string(value))


def known(number, value):
    """Returns a known attribute with its value in its own encoding."""
    encoding, _ = (RECEIPT_ATTRIBUTES | PURCHASE_ATTRIBUTES)[number]
    return attribute(number, ENCODERS[encoding](value))


def purchase(*attributes):
    return attribute(PURCHASE, der.set_of(*attributes))


def values(**changes):
    """Returns the values of a receipt's attributes by `a` and their number; None removes one."""
    base = {"a0": "Production", "a1": APP_APPLE_ID, "a2": BUNDLE_ID, "a3": "42", "a12": CREATED}
    merged = {**base, **changes}
    return {int(name[1:]): value for name, value in merged.items() if value is not None}


def purchase_values(**changes):
    """Returns the values of a purchase's attributes in the same form."""
    base = {
        "a1701": 1,
        "a1702": PRODUCT_ID,
        "a1703": "200000000000042",
        "a1704": "2025-10-01T11:59:00Z",
        "a1705": "200000000000001",
    }
    merged = {**base, **changes}
    return {int(name[1:]): value for name, value in merged.items() if value is not None}


def attributes(of):
    return [known(number, value) for number, value in of.items()]


def payload(*more, purchases=(), **changes):
    """Returns the SET of a receipt's attributes: its values, its purchases, and further attributes."""
    bought = [purchase(*attributes(of)) for of in purchases]
    return der.set_of(*attributes(values(**changes)), *bought, *more)


def shown(table, of):
    """Returns values as a reader shows them: dates in milliseconds, bytes in base64, no empty text."""
    members = {}
    for number, value in of.items():
        encoding, name = table[number]
        if encoding == "bytes":
            members[name] = b64(value)
        elif value != "":
            members[name] = ms(value) if encoding == "date" else value
    return members


def contents(purchases=(), **changes):
    """Returns what a reader shows of `payload` with the same arguments."""
    bought = [shown(PURCHASE_ATTRIBUTES, of) for of in purchases]
    return {**shown(RECEIPT_ATTRIBUTES, values(**changes)), "inApp": bought}


def device_hash(device, opaque, bundle_id=BUNDLE_ID):
    return hashlib.sha1(device + opaque + der.utf8_string(bundle_id)).digest()


# MARK: Container

SIGNED_DATA, DATA = "1.2.840.113549.1.7.2", "1.2.840.113549.1.7.1"
RSA_ENCRYPTION = "1.2.840.113549.1.1.1"


def algorithm(identifier, parameters=None):
    return der.sequence(der.oid(identifier), der.null() if parameters is None else parameters)


def issuer_and_serial(certificate):
    """Returns the name of the issuer and the serial number, as they stand in the certificate."""
    first, _, _ = der.place(certificate, 0, 0)
    # A certificate of version 1 does not have its version.
    serial = 1 if certificate[first] == 0xA0 else 0
    parts = [certificate[slice(*der.place(certificate, 0, index)[::2])] for index in (serial + 2, serial)]
    return der.sequence(*parts)


def receipt(content=None, by=None, digest="sha256", edit=None):
    """Returns a container of this content, signed by a chain.

    `edit` replaces elements by their names: with bytes, or with the result of a function of the element.
    """
    content = payload() if content is None else content
    by, edit = by or STANDARD, edit or {}

    def part(name, *encoded):
        change, made = edit.get(name), b"".join(encoded)
        return change(made) if callable(change) else made if change is None else change

    signer = part(
        "signer",
        der.sequence(
            part("signerVersion", der.integer(1)),
            part("signerName", issuer_and_serial(by.certificates[0].der)),
            part("digestAlgorithm", algorithm(DIGEST_INFO_OIDS[digest])),
            part("signedAttributes"),
            part("signatureAlgorithm", algorithm(RSA_ENCRYPTION)),
            part("signature", der.octet_string(by.key.sign(content, digest))),
            part("unsignedAttributes"),
        ),
    )
    signed_data = part(
        "signedData",
        der.sequence(
            part("version", der.integer(1)),
            part("digestAlgorithms", der.set_of(algorithm(DIGEST_INFO_OIDS[digest]))),
            part(
                "contentInfo",
                der.sequence(
                    part("contentType", der.oid(DATA)),
                    part("contentWrapper", der.explicit(0, part("content", der.octet_string(content)))),
                ),
            ),
            part("certificates", der.explicit(0, b"".join(by.ders()))),
            part("revocationLists"),
            part("signers", der.set_of(signer)),
        ),
    )
    body = part("type", der.oid(SIGNED_DATA)) + part("wrapper", der.explicit(0, signed_data))
    return part("container", der.sequence(body))


def indefinite(*path_of_names, **edits):
    """Returns edits that give these elements an indefinite length, as Xcode's receipts have it."""
    return {**dict.fromkeys(path_of_names, der.with_indefinite_length), **edits}


def local(octets=None, by=None, digest="sha256", **edits):
    """Returns a receipt as Xcode writes it: in BER, with one certificate."""
    edit = indefinite(
        "container",
        "wrapper",
        "signedData",
        "contentInfo",
        "contentWrapper",
        content=lambda octets: der.with_indefinite_length(der.tlv(0x24, octets)),
        signatureAlgorithm=algorithm("1.2.840.113549.1.1.11"),
    )
    octets = payload(a0="Xcode") if octets is None else octets
    return receipt(octets, by or XCODE_CHAIN, digest, {**edit, **edits})


# MARK: Changes


def after(more):
    """Returns an edit that appends to the contents of an element."""

    def change(encoded):
        _, inside, end = der.place(encoded)
        return der.tlv(encoded[0], encoded[inside:end] + more)

    return change


def twice(encoded):
    """Returns an element with its contents twice."""
    _, inside, end = der.place(encoded)
    return after(encoded[inside:end])(encoded)


def retagged(tag):
    """Returns an edit that gives an element another identifier."""
    return lambda encoded: bytes([tag]) + encoded[1:]


def flipped(encoded, offset, bit=0):
    """Returns the bytes with one bit changed."""
    changed = bytearray(encoded)
    changed[offset] ^= 1 << bit
    return bytes(changed)


def later(text, seconds):
    """Returns an RFC 3339 time so many seconds later."""
    return (date(text) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
