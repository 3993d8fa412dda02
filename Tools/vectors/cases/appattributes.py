"""app-receipt-attributes.json: the attributes of app receipts: values, encodings, order, duplicates, limits."""

from .. import der
from ..appreceipt import (
    ENCODERS,
    PURCHASE,
    PURCHASE_ATTRIBUTES,
    RECEIPT_ATTRIBUTES,
    ROOT,
    STANDARD,
    XCODE,
    XCODE_CHAIN,
    attribute,
    contents,
    known,
    local,
    payload,
    purchase,
    purchase_values,
    receipt,
    retagged,
    values,
)
from ..jws import b64
from ..payloads import PRODUCT_ID, ms
from ..vectorfile import VectorFile

MALFORMED, INVALID, DUPLICATE, MISSING = (
    f"attribute{end}" for end in ("s-malformed", "-invalid", "-duplicate", "-missing")
)
# A value in each encoding, and one that is never right in its place.
SAMPLES = {"text": "a text", "ascii": "4+", "date": "2025-09-01T08:00:00Z", "integer": 7, "bytes": b"\x01\x02\x03"}
WRONG = {
    "text": der.ia5_string("a text"),
    "ascii": der.utf8_string("4+"),
    "date": der.utf8_string("2025-09-01T08:00:00Z"),
    "integer": der.utf8_string("7"),
}
LIMITS = {"attributes": 256, "purchase": 128, "purchases": 20_000}


def build():
    file = VectorFile("app-receipt-attributes.json", "app receipts: attributes, encodings, duplicates, order, limits")
    values_read(file)
    missing(file)
    doubled(file)
    wrong_types(file)
    integers(file)
    texts(file)
    dates(file)
    structures(file)
    nested(file)
    limits(file)
    return file


def group(file, comment):
    return file.app_receipts(comment, [ROOT], STANDARD.ders())


def sample(numbers):
    return {number: SAMPLES[encoding] for number, (encoding, _) in numbers.items()}


def unknown(number, value, version=1):
    return {"type": number, "version": version, "value": b64(value)}


def values_read(file):
    tests = group(file, "What a reader finds in a receipt")
    tests.verified("a receipt without purchases", receipt(), contents=contents())
    for count in (1, 3):
        bought = [purchase_values(a1703=f"20000000000004{number}") for number in range(count)]
        made = receipt(payload(purchases=bought))
        tests.verified(f"with purchases: {count}", made, contents=contents(bought))
    every = {f"a{number}": value for number, value in sample(RECEIPT_ATTRIBUTES).items() if number not in (0, 12)}
    bought = [sample(PURCHASE_ATTRIBUTES)]
    made = receipt(payload(purchases=bought, **every))
    tests.verified("each attribute with a meaning", made, contents=contents(bought, **every))
    bought = [
        purchase_values(a1703=number, a1704=date)
        for number, date in [
            ("9", "2025-09-09T00:00:00Z"),
            ("1", "2025-01-01T00:00:00Z"),
            ("5", "2025-05-05T00:00:00Z"),
        ]
    ]
    made = receipt(payload(purchases=bought))
    tests.verified("purchases stay in the receipt's order", made, contents=contents(bought))
    empty = {"a18": "", "a19": "", "a21": "", "a3": ""}
    bought = [purchase_values(a1708="", a1712="", a1721="", a1702="")]
    made = receipt(payload(purchases=bought, **empty))
    tests.verified("empty texts and dates are absent", made, contents=contents(bought, **empty))
    more = [attribute(8, der.ia5_string("")), attribute(6, b"\xff\x00", 2), attribute(9999, b"")]
    listed = [unknown(8, b"\x16\x00"), unknown(6, b"\xff\x00", 2), unknown(9999, b"")]
    made = receipt(payload(*more))
    tests.verified("unknown attributes are kept", made, contents={**contents(), "unknownAttributes": listed})
    made = receipt(payload(*more, *more))
    tests.verified("unknown attributes twice", made, contents={**contents(), "unknownAttributes": listed * 2})
    for number in (-1, 1 << 62, (1 << 63) - 1, -(1 << 63)):
        expected = {**contents(), "unknownAttributes": [unknown(number, b"\0")]}
        tests.verified(
            f"an attribute of type {number}", receipt(payload(attribute(number, b"\0"))), "Odd", contents=expected
        )
    inner = {"inApp": [{"unknownAttributes": [unknown(1709, der.utf8_string(""))]}]}
    made = receipt(payload(purchase(attribute(1709, der.utf8_string("")))))
    tests.verified("an unknown attribute of a purchase", made, contents={**contents(), **inner})
    made = receipt(payload(purchase()))
    tests.verified("a purchase without attributes", made, contents={**contents(), "inApp": [{}]})
    first = [purchase(known(1702, PRODUCT_ID)), *(known(number, value) for number, value in values().items())]
    made = receipt(der.set_of(*first))
    expected = {**contents(), "inApp": [{"productId": PRODUCT_ID}]}
    tests.verified("a purchase before the other attributes", made, contents=expected)
    version = der.set_of(
        *(
            der.sequence(
                der.integer(number), der.integer(7), der.octet_string(ENCODERS[RECEIPT_ATTRIBUTES[number][0]](value))
            )
            for number, value in values().items()
        )
    )
    tests.verified("attributes of version 7", receipt(version), "Odd", contents=contents())


def missing(file):
    tests = group(file, "Attributes that are missing")
    for number in (0, 2):
        name = RECEIPT_ATTRIBUTES[number][1]
        tests.refused(f"no attribute {number}: {name}", receipt(payload(**{f"a{number}": None})), MISSING)
        tests.refused(f"attribute {number} is empty: {name}", receipt(payload(**{f"a{number}": ""})), MISSING)
    for number in (1, 3, 12):
        changes = {f"a{number}": None}
        name = RECEIPT_ATTRIBUTES[number][1]
        tests.verified(f"no attribute {number}: {name}", receipt(payload(**changes)), contents=contents(**changes))
    tests.refused("no attribute at all", receipt(der.set_of()), MISSING)
    tests.refused("only a purchase", receipt(der.set_of(purchase())), MISSING)
    swapped = der.set_of(*(attribute(number + 1700, der.utf8_string("x")) for number in (0, 2)))
    tests.refused("both only under other numbers", receipt(swapped), MISSING)


def doubled(file):
    tests = group(file, "A known attribute that occurs twice")
    for number, (encoding, name) in RECEIPT_ATTRIBUTES.items():
        second = attribute(number, ENCODERS[encoding](SAMPLES[encoding]))
        base = {} if number in values() else {f"a{number}": SAMPLES[encoding]}
        tests.refused(f"{number}: {name}", receipt(payload(second, **base)), DUPLICATE, "OneFlaw Hostile")
    for number, (encoding, name) in PURCHASE_ATTRIBUTES.items():
        twice = [attribute(number, ENCODERS[encoding](SAMPLES[encoding]))] * 2
        tests.refused(f"{number}: {name}, in a purchase", receipt(payload(purchase(*twice))), DUPLICATE)
    same = known(2, values()[2])
    tests.refused("the same bundle ID again", receipt(payload(same)), DUPLICATE)
    first = der.set_of(known(2, "com.example.other"), *(known(number, value) for number, value in values().items()))
    tests.refused("another bundle ID in front", receipt(first), DUPLICATE, "OneFlaw Hostile")
    one = purchase(known(1703, "1"))
    tests.verified("the same purchase twice", receipt(payload(one, one)), "Odd")


def wrong_types(file):
    tests = group(file, "A known attribute in another encoding")
    for number, (encoding, name) in RECEIPT_ATTRIBUTES.items():
        if encoding != "bytes":
            changed = receipt(payload(attribute(number, WRONG[encoding]), **{f"a{number}": None}))
            tests.refused(f"{number}: {name}", changed, INVALID)
    for number, (encoding, name) in PURCHASE_ATTRIBUTES.items():
        changed = receipt(payload(purchase(attribute(number, WRONG[encoding]))))
        tests.refused(f"{number}: {name}, in a purchase", changed, INVALID)
    for comment, value in [
        ("a SEQUENCE", der.sequence(known(1702, "x"))),
        ("a text", der.utf8_string("x")),
        ("no byte", b""),
        ("a SET and a byte", der.set_of() + b"\0"),
        ("a SET of indefinite length", b"\x31\x80\x00\x00"),
        ("a SET with a long length", der.with_long_length(der.set_of(known(1702, "x")))),
    ]:
        tests.refused(f"a purchase that is {comment}", receipt(payload(attribute(PURCHASE, value))), INVALID)
    opaque = {"a4": der.utf8_string("text"), "a5": b""}
    tests.verified("4 and 5 have no encoding", receipt(payload(**opaque)), contents=contents(**opaque))


def integers(file):
    tests = group(file, "The INTEGER in attribute 16")
    for number in (0, 1, 127, 128, -1, -128, -129, (1 << 63) - 1, -(1 << 63)):
        changes = {"a16": number}
        tests.verified(f"{number}", receipt(payload(**changes)), "Boundary", contents=contents(**changes))
    for comment, value in [
        ("2 to the power of 63, in nine bytes", der.integer(1 << 63)),
        ("of 200 bytes", der.tlv(2, b"\x01" * 200)),
        ("without a byte", b"\x02\x00"),
        ("1 in two bytes", b"\x02\x02\x00\x01"),
        ("-1 in two bytes", b"\x02\x02\xff\xff"),
        ("1 with a long length", b"\x02\x81\x01\x01"),
        ("followed by a byte", der.integer(1) + b"\0"),
        ("that is cut off", b"\x02\x02\x01"),
        ("that is an ENUMERATED", b"\x0a\x01\x01"),
        ("that is constructed", b"\x22\x03\x02\x01\x01"),
    ]:
        tests.refused(f"an INTEGER {comment}", receipt(payload(attribute(16, value))), INVALID, "OneFlaw Hostile")


def texts(file):
    tests = group(file, "Texts")
    for comment, text in [
        ("in several scripts", "日本語 é \U0001f600"),
        ("with quotes, a backslash and line breaks", 'a"\\\n\t\u2028'),
        ("with characters that change the direction", "a\u202eb"),
        ("of 10,000 characters", "x" * 10_000),
    ]:
        tests.verified(f"a version {comment}", receipt(payload(a3=text)), "Odd", contents=contents(a3=text))
    for comment, octets in [
        ("a byte that no UTF-8 has", b"a\xff"),
        ("a character that is cut off", b"a\xc3"),
        ("a slash in two bytes", b"\xc0\xaf"),
        ("half of a surrogate pair", b"\xed\xa0\x80"),
        ("a NUL", b"a\0b"),
    ]:
        changed = receipt(payload(attribute(3, der.tlv(0x0C, octets)), a3=None))
        tests.refused(f"a version with {comment}", changed, INVALID, "OneFlaw Hostile")
    for comment, octets in [("a letter outside of ASCII", "é".encode()), ("a NUL", b"4\0")]:
        changed = receipt(payload(attribute(10, der.tlv(0x16, octets))))
        tests.refused(f"an age rating with {comment}", changed, INVALID, "OneFlaw Hostile")
    for comment, value in [
        ("cut off", b"\x0c\x05abc"),
        ("followed by a byte", der.utf8_string("1") + b"\0"),
        ("in pieces", der.tlv(0x2C, der.utf8_string("1"))),
        ("that is a PrintableString", der.printable_string("1")),
    ]:
        tests.refused(f"a version {comment}", receipt(payload(attribute(3, value), a3=None)), INVALID)


def dates(file):
    tests = group(file, "Dates")
    at = ms("2025-09-01T08:00:00Z")
    for comment, text, expected in [
        ("in UTC", "2025-09-01T08:00:00Z", at),
        ("with an offset in the form of Xcode", "2025-09-01T11:00:00+0300", at),
        ("with a negative offset in the form of Xcode", "2025-09-01T00:30:00-0730", at),
        ("with an offset in the form of RFC 3339", "2025-09-01T11:00:00+03:00", at),
        ("with milliseconds", "2025-09-01T08:00:00.123Z", at + 123),
        ("of a leap day", "2024-02-29T00:00:00Z", ms("2024-02-29")),
    ]:
        members = {**contents(), "originalPurchaseDate": expected}
        tests.verified(f"a date {comment}", receipt(payload(a18=text)), contents=members)
    for text in (
        "yesterday",
        "1756713600000",
        "2025-09-01",
        "2025-09-01T08:00:00",
        "2025-09-01 08:00:00Z",
        "2025-09-01T08:00Z",
        "2025-13-01T08:00:00Z",
        "2025-02-29T08:00:00Z",
        "2025-09-01T24:00:00Z",
        "2025-09-01T08:60:00Z",
        "2025-09-01T08:00:00+03",
        "2025-09-01T08:00:00+2400",
        "2025-09-01T08:00:00Z ",
        " 2025-09-01T08:00:00Z",
        "2025-09-01T08:00:00 Etc/GMT",
        "20250901T080000Z",
        "-2025-09-01T08:00:00Z",
    ):
        tests.refused(f"the purchase date {text!r}", receipt(payload(a18=text)), INVALID)
    bought = payload(purchase(known(1708, "never")))
    tests.refused("an expiry date 'never', in a purchase", receipt(bought), INVALID)
    tests.refused("the creation date 'yesterday'", receipt(payload(a12="yesterday")), "signing-time-invalid")
    local_tests = file.app_receipts("Dates of a receipt of Xcode, outside of UTC", [XCODE], XCODE_CHAIN.ders())
    made = local(payload(a0="Xcode", a12="2025-10-01T15:00:00+0300"))
    expected = {**contents(a0="Xcode"), "receiptCreationDate": ms("2025-10-01T12:00:00Z")}
    local_tests.verified("created in the zone +0300", made, contents=expected)


def structures(file):
    tests = group(file, "The structure of the attributes")
    good, one = payload(), known(3, "1")
    number, version, value = der.integer(3), der.integer(1), der.octet_string(der.utf8_string("1"))
    for comment, octets in [
        ("no byte", b""),
        ("a SEQUENCE in place of the SET", b"\x30" + good[1:]),
        ("a byte after the SET", good + b"\0"),
        ("two SETs", good + good),
        ("a SET of indefinite length", der.with_indefinite_length(good)),
        ("a SET with a long length", der.with_long_length(good)),
        ("a SET that is cut off", good[:-1]),
        ("a SET with a primitive identifier", b"\x11" + good[1:]),
        ("a text", der.utf8_string("attributes")),
    ]:
        tests.refused(f"content: {comment}", receipt(octets), MALFORMED)
    for comment, octets in [
        ("NULL", der.null()),
        ("a SET", retagged(0x31)(one)),
        ("without a value", der.sequence(number, version)),
        ("without a version", der.sequence(number, value)),
        ("without a type", der.sequence(version, value)),
        ("without anything", der.sequence()),
        ("with an element more", der.sequence(number, version, value, der.null())),
        ("with two values", der.sequence(number, version, value, value)),
        ("in another order", der.sequence(version, value, number)),
        ("with a type of nine bytes", der.sequence(der.integer(1 << 64), version, value)),
        ("with a version of nine bytes", der.sequence(number, der.integer(1 << 64), value)),
        ("with a type in two bytes", der.sequence(b"\x02\x02\x00\x03", version, value)),
        ("with a type that is a text", der.sequence(der.utf8_string("3"), version, value)),
        ("with a value in pieces", der.sequence(number, version, der.tlv(0x24, value))),
        ("with a value that is a text", der.sequence(number, version, der.utf8_string("1"))),
        ("with a long length", der.with_long_length(one)),
        ("of indefinite length", der.with_indefinite_length(one)),
        ("that is longer than the SET", one[:1] + bytes([one[1] + 1]) + one[2:]),
    ]:
        tests.refused(f"an attribute {comment}", receipt(payload(octets, a3=None)), MALFORMED, "OneFlaw Hostile")
    for comment, octets in [
        ("NULL", der.null()),
        ("without a value", der.sequence(der.integer(1702), version)),
        ("with a long length", der.with_long_length(known(1702, "x"))),
        ("that is cut off", known(1702, "x")[:-1]),
    ]:
        changed = receipt(payload(purchase(octets)))
        tests.refused(f"an attribute of a purchase {comment}", changed, MALFORMED, "OneFlaw Hostile")


def nested(file):
    tests = group(file, "Attributes in places of others")
    inner = known(1703, "1")
    made = receipt(payload(purchase(inner, attribute(PURCHASE, der.set_of(inner)))))
    expected = {"transactionId": "1", "unknownAttributes": [unknown(PURCHASE, der.set_of(inner))]}
    tests.verified("a purchase in a purchase has no meaning", made, "Odd", contents={**contents(), "inApp": [expected]})
    made = receipt(payload(known(1702, "x")))
    expected = {**contents(), "unknownAttributes": [unknown(1702, der.utf8_string("x"))]}
    tests.verified("an attribute of purchases in the receipt", made, "Odd", contents=expected)
    bundle = known(2, "com.example.other")
    made = receipt(payload(purchase(bundle)))
    expected = {**contents(), "inApp": [{"unknownAttributes": [unknown(2, der.utf8_string("com.example.other"))]}]}
    tests.verified("a bundle ID in a purchase is not that of the receipt", made, "Odd", contents=expected)
    for comment, value in [
        ("1,000 SETs in each other", deep(0x31, 1000)),
        ("1,000 SEQUENCEs in each other", deep(0x30, 1000)),
        ("1,000 elements without an end", b"\x31\x80" * 1000),
        ("another receipt", receipt()),
    ]:
        expected = {**contents(), "unknownAttributes": [unknown(30, value)]}
        tests.verified(
            f"an unknown attribute with {comment}", receipt(payload(attribute(30, value))), "Odd", contents=expected
        )
    changed = receipt(payload(attribute(PURCHASE, deep(0x31, 1000))))
    tests.refused("a purchase of 1,000 SETs in each other", changed, MALFORMED, "OneFlaw Hostile")


def deep(tag, count):
    octets = b""
    for _ in range(count):
        octets = der.tlv(tag, octets)
    return octets


def repeated(tests, element, count, base):
    """Returns the parts of a receipt whose SET ends with so many equal elements."""
    made = receipt(der.set_of(base, element * count))
    run = element * count
    before, after = made.split(run, 1)
    return [*tests.parts(before), {"repeat": b64(element), "count": count}, *tests.parts(after)]


def limits(file):
    tests = group(file, "The limits of what a receipt may have")
    base = b"".join(known(number, value) for number, value in values().items())
    odd, few = attribute(9999, b""), LIMITS["attributes"] - len(values())
    tests.verified("256 attributes", repeated(tests, odd, few, base), "Boundary")
    tests.refused("257 attributes", repeated(tests, odd, few + 1, base), "too-many-attributes", "Boundary")
    for count, code in [(LIMITS["purchase"], None), (LIMITS["purchase"] + 1, "too-many-attributes")]:
        made = receipt(payload(purchase(*[odd] * count)))
        if code:
            tests.refused(f"{count} attributes of a purchase", made, code, "Boundary")
        else:
            tests.verified(f"{count} attributes of a purchase", made, "Boundary")
    empty = purchase()
    tests.verified("20,000 purchases", repeated(tests, empty, LIMITS["purchases"], base), "Boundary")
    many = repeated(tests, empty, LIMITS["purchases"] + 1, base)
    tests.refused("20,001 purchases", many, "too-many-purchases", "Boundary Hostile")
