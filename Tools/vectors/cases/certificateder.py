"""certificate-der.json: certificates are DER in every field that is read, each field wrong alone."""

import itertools

from .. import appreceipt, authority, certs, der, payloads
from ..authority import ROOT, make_intermediate, make_leaf, make_root
from ..certs import CRL_SIGN, DIGITAL_SIGNATURE, KEY_CERT_SIGN, extension
from ..jws import sign
from ..keys import ECKey
from ..vectorfile import VectorFile

CODE = "certificate-malformed"
PAYLOAD = payloads.brief_transaction()
CONSTRAINTS, USAGE, PURPOSES = "2.5.29.19", "2.5.29.15", "2.5.29.37"
NAMES = ("leaf", "intermediate", "root")
EXTENSIONS = (authority.leaf_extensions, authority.intermediate_extensions, authority.root_extensions)
BITS = ((DIGITAL_SIGNATURE,), (KEY_CERT_SIGN, CRL_SIGN), (KEY_CERT_SIGN, CRL_SIGN))
MARKERS = (certs.LEAF_MARKER, certs.INTERMEDIATE_MARKER, certs.PRIVATE_EXTENSION)


def build():
    file = VectorFile("certificate-der.json", "certificates: DER in every field that is read")
    jws(file)
    names_and_keys(file)
    accepted(file)
    app_receipts(file)
    return file


# MARK: Encodings


def utc(text):
    return lambda _: der.tlv(0x17, text.encode())


def generalized(text):
    return lambda _: der.tlv(0x18, text.encode())


def padded(encoded):
    """Returns an INTEGER with one zero byte more than necessary."""
    _, contents, end = der.element(encoded, 0)
    return der.tlv(encoded[0], b"\0" + encoded[contents:end])


def raw(identifier, value, *critical):
    """Returns an extension with these bytes as its value and as its `critical`."""
    return der.sequence(der.oid(identifier), *critical, der.octet_string(value))


FALSE, ODD_TRUE = der.boolean(False), b"\x01\x01\x01"
TRUE = der.boolean(True)


def fields():
    """Returns the edits of fields beside the extensions."""
    return [
        ("notBefore without seconds", {"notBefore": utc("2301010000Z")}),
        ("notBefore with an offset", {"notBefore": utc("230101000000+0000")}),
        ("notBefore with an offset and no seconds", {"notBefore": utc("2301010000+0000")}),
        ("notBefore with a fraction", {"notBefore": generalized("20230101000000.0Z")}),
        ("notBefore in four digits without seconds", {"notBefore": generalized("202301010000Z")}),
        ("notBefore in four digits with an offset", {"notBefore": generalized("20230101000000+0000")}),
        ("notBefore in local time", {"notBefore": generalized("20230101000000")}),
        ("notAfter without seconds", {"notAfter": utc("3501010000Z")}),
        ("notAfter with an offset", {"notAfter": utc("350101000000-0100")}),
        ("notAfter with a fraction", {"notAfter": generalized("20350101000000.5Z")}),
        ("notAfter in hours and an offset", {"notAfter": generalized("2035010100+0000")}),
        ("a version in one byte more than necessary", {"version": lambda v: der.explicit(0, padded(v[2:]))}),
        ("an element after the version", {"version": lambda v: der.explicit(0, v[2:] + der.null())}),
        ("a serial number in one byte more than necessary", {"serial": padded}),
        ("a long length of the issuer's name", {"issuer": der.with_long_length}),
        ("a long length of the subject's name", {"subject": der.with_long_length}),
        ("an indefinite length of the subject's name", {"subject": der.with_indefinite_length}),
    ]


def extension_values(index):
    """Returns the extensions of a certificate that are not in DER, by what is wrong."""
    is_ca = index > 0
    constraints = der.sequence(*[TRUE] if is_ca else [])
    usage = der.bits(*BITS[index])
    octet = usage[3]
    purposes = der.sequence(der.oid(certs.CODE_SIGNING))
    marker = MARKERS[index]
    cases = [
        ("basicConstraints critical as 01", "basicConstraints", raw(CONSTRAINTS, constraints, ODD_TRUE)),
        ("bytes after basicConstraints", "basicConstraints", raw(CONSTRAINTS, constraints + b"\0\0", TRUE)),
        ("a long length of basicConstraints", "basicConstraints", raw(CONSTRAINTS, der.with_long_length(constraints))),
        ("keyUsage with critical FALSE", "keyUsage", raw(USAGE, usage, FALSE)),
        ("a byte after keyUsage", "keyUsage", raw(USAGE, usage + b"\0", TRUE)),
        ("keyUsage with zero bits at its end", "keyUsage", raw(USAGE, der.bit_string(bytes([octet])), TRUE)),
        ("keyUsage with a zero byte at its end", "keyUsage", raw(USAGE, der.bit_string(bytes([octet, 0])), TRUE)),
        ("keyUsage with unused bits that are set", "keyUsage", raw(USAGE, der.bit_string(bytes([octet | 1]), 1), TRUE)),
        ("keyUsage in parts", "keyUsage", raw(USAGE, der.tlv(0x23, usage), TRUE)),
        ("a byte after extendedKeyUsage", "other", raw(PURPOSES, purposes + b"\0")),
        ("a long length of extendedKeyUsage", "other", raw(PURPOSES, der.with_long_length(purposes))),
        ("an extension with critical FALSE", "marker", raw(marker, der.null(), FALSE)),
        ("an extension with critical as 01", "marker", raw(marker, der.null(), ODD_TRUE)),
        ("a byte after an extension's value", "marker", raw(marker, der.null() + b"\0")),
        ("an extension without a value", "marker", raw(marker, b"")),
        ("an extension of indefinite length", "marker", raw(marker, b"\x30\x80\0\0")),
    ]
    if is_ca:
        odd = der.sequence(ODD_TRUE)
        path = der.sequence(TRUE, padded(der.integer(1)))
        cases.append(("CA true as 01", "basicConstraints", raw(CONSTRAINTS, odd, TRUE)))
        cases.append(("a path length in one byte more", "basicConstraints", raw(CONSTRAINTS, path, TRUE)))
    else:
        written = der.sequence(FALSE)
        cases.append(("CA false, although that is the default", "basicConstraints", raw(CONSTRAINTS, written, TRUE)))
    return cases


# MARK: JWS


def made(index, **options):
    """Returns a chain with changed options of one certificate."""
    root = make_root(**options) if index == 2 else ROOT
    intermediate = make_intermediate(root, **(options if index == 1 else {}))
    leaf = make_leaf(intermediate, **(options if index == 0 else {}))
    return authority.chain(leaf, intermediate, root)


def jws(file):
    for index, name in enumerate(NAMES):
        group = file.jws(f"The {name} is DER in every field", [ROOT])
        for comment, edit in fields():
            group.refused(f"{name}: {comment}", sign(PAYLOAD, made(index, edit=edit)), CODE)
        for comment, key, encoded in extension_values(index):
            changed = {**EXTENSIONS[index](), key: encoded}
            group.refused(f"{name}: {comment}", sign(PAYLOAD, made(index, extensions=changed)), CODE)
    group = file.jws("The version of x5c[2]", [ROOT])
    explicit = make_root(extensions={}, version=1, edit={"version": lambda _: der.explicit(0, der.integer(0))})
    group.refused(
        "root: version 1, although that is the default", sign(PAYLOAD, authority.chain(root=explicit)), CODE
    )


def attribute(kind, value):
    return der.sequence(der.oid(kind), der.utf8_string(value))


def even_key(name):
    """Returns a key whose point ends with a zero bit, so that it is on the curve without that bit."""
    return next(key for key in (ECKey(f"{name} {number}") for number in range(64)) if key.point()[-1] & 1 == 0)


def names_and_keys(file):
    group = file.jws("Names and keys", [ROOT])
    # Both attributes in one relative name, in the wrong order.
    unsorted = der.sequence(der.set_of(attribute("2.5.4.10", "Test"), attribute("2.5.4.3", "Test")))
    group.refused("leaf: a name that is not sorted", sign(PAYLOAD, made(0, subject=unsorted)), CODE)
    inside = der.sequence(der.set_of(der.sequence(der.oid("2.5.4.3"), b"\x30\x81\x02" + der.null())))
    group.refused("leaf: a name with a long length in an attribute", sign(PAYLOAD, made(0, subject=inside)), CODE)
    key = even_key("unused")
    unused = {"key": lambda spki: spki.replace(b"\x03\x42\0\x04", b"\x03\x42\1\x04")}
    for index, name in enumerate(NAMES):
        group.refused(f"{name}: an unused bit in the signature", sign(PAYLOAD, with_unused_bit(index)), CODE)
    for index, name in enumerate(NAMES[:2]):
        changed = sign(PAYLOAD, made(index, key=key, edit=unused))
        group.refused(f"{name}: an unused bit in the key", changed, CODE)
        group.verified(f"{name}: the same key without it", sign(PAYLOAD, made(index, key=key)))


def with_unused_bit(index):
    """Returns a chain with an unused bit, which is zero, in the signature of one certificate."""
    chains = (made(index, serial=(1 << 62) + number, unused_bits=1) for number in range(64))
    return next(chain for chain in chains if chain.certificates[index].der[-1] & 1 == 0)


LIMIT = 64 * 1024


def sized(size):
    """Returns a chain whose leaf has this size; the length of a signature varies."""
    for count, number in itertools.product(range(size - 394, size - 388), range(16)):
        other = extension(certs.PRIVATE_EXTENSION, der.octet_string(bytes(count)))
        chain = made(0, extensions={**authority.leaf_extensions(), "other": other}, serial=(1 << 62) + number)
        if len(chain.certificates[0].der) == size:
            return chain
    raise AssertionError("no such length")


def accepted(file):
    group = file.jws("What DER allows", [ROOT])
    four_digits = {"notBefore": generalized("20230101000000Z"), "notAfter": generalized("20350101000000Z")}
    relative = der.sequence(der.set_of(attribute("2.5.4.3", "Test"), attribute("2.5.4.10", "Test")))
    group.verified("leaf: 64 KiB", sign(PAYLOAD, sized(LIMIT)), flags="Boundary")
    group.refused("leaf: one byte more than 64 KiB", sign(PAYLOAD, sized(LIMIT + 1)), CODE, "Boundary")
    for index, name in enumerate(NAMES):
        flags = "Odd"
        group.verified(f"{name}: dates in four digits", sign(PAYLOAD, made(index, edit=four_digits)), flags=flags)
        other = {**EXTENSIONS[index](), "other": extension(certs.PRIVATE_EXTENSION, der.sequence(der.null()))}
        group.verified(f"{name}: an unknown extension", sign(PAYLOAD, made(index, extensions=other)), flags=flags)
    group.verified("leaf: two attributes in one relative name", sign(PAYLOAD, made(0, subject=relative)), flags="Odd")


# MARK: App receipts


def receipt_chain(index, **options):
    """Returns a chain for app receipts with changed options of one certificate."""
    root = appreceipt.root(**options) if index == 2 else appreceipt.ROOT
    middle = appreceipt.intermediate(root, **(options if index == 1 else {}))
    leaf = appreceipt.leaf(middle, **(options if index == 0 else {}))
    return appreceipt.chain(leaf, middle, root)


def app_receipts(file):
    standard = appreceipt.STANDARD.ders()
    group = file.app_receipts("The certificates of an app receipt are DER in every field", [appreceipt.ROOT], standard)
    for index, name in enumerate(NAMES):
        edits = fields()[index::3] + rsa_keys()
        for comment, edit in edits:
            made = receipt_chain(index, edit=edit)
            group.refused(f"{name}: {comment}", appreceipt.receipt(by=made), CODE)
        for comment, key, encoded in extension_values(index)[index::3]:
            made = receipt_chain(index, extensions={**EXTENSIONS[index](), key: encoded})
            group.refused(f"{name}: {comment}", appreceipt.receipt(by=made), CODE)


def numbers(key):
    """Returns modulus and exponent of an RSAPublicKey, each as an INTEGER."""
    return [key[slice(*der.place(key, index)[::2])] for index in (0, 1)]


def shorter(key, index):
    """Returns the key with one number without its first byte."""
    made = numbers(key)
    _, contents, end = der.element(made[index], 0)
    assert made[index][contents] == 0
    made[index] = der.tlv(0x02, made[index][contents + 1 : end])
    return der.sequence(*made)


def longer(key, index):
    """Returns the key with one number in one byte more than necessary."""
    made = numbers(key)
    made[index] = padded(made[index])
    return der.sequence(*made)


def rsa_keys():
    """Returns the edits of an RSA key inside its BIT STRING."""

    def inside(change):
        def changed(spki):
            algorithm, bits = (slice(start, end) for start, _, end in (der.place(spki, 0), der.place(spki, 1)))
            _, contents, end = der.element(spki, bits.start)
            return der.sequence(spki[algorithm], der.bit_string(change(spki[contents + 1 : end])))

        return {"key": changed}

    return [
        ("a byte after the RSA key", inside(lambda key: key + b"\0")),
        ("a long length of the RSA key", inside(der.with_long_length)),
        ("an RSA modulus without its leading zero", inside(lambda key: shorter(key, 0))),
        ("an RSA exponent in one byte more than necessary", inside(lambda key: longer(key, 1))),
    ]
