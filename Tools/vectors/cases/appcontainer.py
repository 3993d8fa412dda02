"""app-receipt-container.json: the container of app receipts, its algorithms and its signature."""

import hashlib

from .. import der
from ..appreceipt import (
    INTERMEDIATE_KEY,
    LEAF_KEY,
    OLD,
    OLD_DATE,
    OTHER,
    ROOT,
    RSA_ENCRYPTION,
    STANDARD,
    XCODE,
    XCODE_CHAIN,
    after,
    algorithm,
    chain,
    indefinite,
    intermediate,
    issuer_and_serial,
    leaf,
    local,
    payload,
    receipt,
    retagged,
    twice,
)
from ..jws import b64
from ..keys import DIGEST_INFO_OIDS
from ..vectorfile import VectorFile

GOOD = receipt()
LIMIT = 8 * 1024 * 1024
BER_LIMIT = 256 * 1024


def build():
    file = VectorFile("app-receipt-container.json", "app receipts: container, wrappings, algorithms, signature, BER")
    generations(file)
    wrappings(file)
    ends(file)
    shapes(file)
    versions(file)
    contents(file)
    certificates(file)
    signers(file)
    optional_parts(file)
    algorithms(file)
    signatures(file)
    paddings(file)
    lengths(file)
    xcode(file)
    return file


def group(file, comment, roots=(ROOT,), made=STANDARD, **fields):
    return file.app_receipts(comment, roots, made.ders(), **fields)


def generations(file):
    tests = group(file, "Both digest generations, and what lies between them")
    tests.verified("SHA-256 throughout", GOOD)
    old = payload(a12=OLD_DATE)
    tests.verified("SHA-1 throughout, as until January 2024", receipt(old, OLD, "sha1"))
    tests.verified("signed with SHA-1, certificates with SHA-256", receipt(digest="sha1"))
    tests.verified("signed with SHA-256, certificates with SHA-1", receipt(old, OLD))
    mixed = intermediate(digest="sha1")
    tests.verified("only the intermediate is signed with SHA-1", receipt(by=chain(leaf(mixed), mixed)))
    tests.verified("only the leaf is signed with SHA-1", receipt(by=chain(leaf(digest="sha1"))))


def lines(text, width, ending):
    return "".join(text[start : start + width] + ending for start in range(0, len(text), width))


def wrappings(file):
    text = b64(GOOD)
    tests = group(file, "The base64 in which receipts are sent")
    for comment, wrapped in [
        ("base64", text),
        ("lines of 64 characters that end with CR LF", lines(text, 64, "\r\n")),
        ("lines of 76 characters that end with LF", lines(text, 76, "\n")),
        ("white space around it", f" \t\n{text}\r\n "),
        ("without padding", text.rstrip("=")),
        ("URL-safe base64", text.replace("+", "-").replace("/", "_")),
        ("JSON with receipt-data, as clients send it", f'{{"receipt-data":"{text}","password":"x"}}'),
        ("a response of verifyReceipt", '{"status":0,"latest_receipt":"' + text.replace("/", "\\/") + '"}'),
        ("a notification of version 1", f'{{"unified_receipt":{{"latest_receipt":"{text}"}},"password":"x"}}'),
        ("a quoted string", f'"{text}"'),
    ]:
        tests.verified(comment, wrapped)
    for comment, wrapped in [
        ("a character outside of base64", text[:200] + "!" + text[201:]),
        ("one character is left over", text.rstrip("=") + "A" * (5 - len(text.rstrip("=")) % 4)),
    ]:
        tests.refused(comment, wrapped, "encoding", "Damaged")
    tests.refused("base64 that was cut after 1,000 characters", text[:1000], "container-malformed", "Damaged")
    tests.refused(
        "the receipt of one transaction from before iOS 7",
        '{\n\t"signature" = "AqhA";\n\t"purchase-info" = "ewoJ";\n\t"pod" = "17";\n\t"signing-status" = "0";\n}',
        "legacy-receipt-unsupported",
        "Mistake",
    )


def ends(file):
    tests = group(file, "A receipt that ends too early or too late")
    for count in (2, 4, 15, 40, len(GOOD) // 2, len(GOOD) - 256, len(GOOD) - 1):
        tests.refused(f"only the first {count} bytes", GOOD[:count], "container-malformed", "Damaged")
    for comment, more in [("a zero byte", b"\0"), ("a line break", b"\n"), ("a second receipt", GOOD)]:
        tests.refused(f"followed by {comment}", GOOD + more, "container-malformed")
    count, rest = divmod(LIMIT - len(GOOD), 1024)
    full = [*tests.parts(GOOD), {"repeat": b64(bytes(1024)), "count": count}, b64(bytes(rest))]
    tests.refused("8 MiB, of which the end is zero bytes", full, "container-malformed", "Boundary")
    tests.refused("one byte more than 8 MiB", [*full, b64(b"\0")], "too-large", "Boundary")


def shapes(file):
    tests = group(file, "The elements around the SignedData")
    for name, number in [("data", 1), ("envelopedData", 3), ("signedAndEnvelopedData", 4), ("digestedData", 5)]:
        changed = receipt(edit={"type": der.oid(f"1.2.840.113549.1.7.{number}")})
        tests.refused(f"type {name}", changed, "container-malformed")
    for comment, edit in [
        ("type with one more arc", {"type": der.oid("1.2.840.113549.1.7.2.1")}),
        ("[1] in place of [0] around the SignedData", {"wrapper": retagged(0xA1)}),
        ("a primitive [0] around the SignedData", {"wrapper": retagged(0x80)}),
        ("a SET in place of the SignedData", {"signedData": retagged(0x31)}),
        ("an element after the SignedData", {"wrapper": after(der.null())}),
        ("an element after [0]", {"container": after(der.null())}),
        ("an element after the signers", {"signedData": after(der.null())}),
        ("no SignedData", {"wrapper": der.explicit(0, b"")}),
        ("no [0]", {"wrapper": b""}),
    ]:
        tests.refused(comment, receipt(edit=edit), "container-malformed")
    # Bytes that do not begin with a SEQUENCE are read as base64.
    tests.refused("a SET in place of the outer SEQUENCE", receipt(edit={"container": retagged(0x31)}), "encoding")


def versions(file):
    tests = group(file, "The versions of container and signer")
    for element, name in [("version", "container"), ("signerVersion", "signer")]:
        for number in (0, 2, 3, -1, 257):
            changed = receipt(edit={element: der.integer(number)})
            tests.refused(f"version {number} of the {name}", changed, "container-unsupported")
        for comment, encoded in [
            ("in two bytes", b"\x02\x02\x00\x01"),
            ("in no byte", b"\x02\x00"),
            ("in nine bytes", der.integer(1 << 64)),
            ("as a BOOLEAN", der.boolean(True)),
            ("missing", b""),
        ]:
            changed = receipt(edit={element: encoded})
            tests.refused(f"version of the {name} {comment}", changed, "container-malformed", "OneFlaw Hostile")


def contents(file):
    tests = group(file, "The content that is signed")
    for comment, identifier in [
        ("signedData", "1.2.840.113549.1.7.2"),
        ("envelopedData", "1.2.840.113549.1.7.3"),
        ("a time stamp", "1.2.840.113549.1.9.16.1.4"),
        ("data with one more arc", "1.2.840.113549.1.7.1.1"),
    ]:
        changed = receipt(edit={"contentType": der.oid(identifier)})
        tests.refused(f"content of the type {comment}", changed, "container-unsupported")
    half = len(payload()) // 2
    two = der.octet_string(payload()[:half]) + der.octet_string(payload()[half:])
    for comment, edit in [
        ("no content: a detached signature", {"contentWrapper": b""}),
        ("an empty [0]", {"contentWrapper": der.explicit(0, b"")}),
        ("content in two OCTET STRINGs", {"content": two}),
        ("content in a constructed OCTET STRING", {"content": der.tlv(0x24, two)}),
        ("content that is a SEQUENCE", {"content": retagged(0x30)}),
        ("content in an implicit [0]", {"contentWrapper": der.tlv(0x80, payload())}),
        ("an element after the content", {"contentInfo": after(der.null())}),
        ("an element after the OCTET STRING", {"contentWrapper": after(der.null())}),
        ("no type", {"contentType": b""}),
        ("a type that is a text", {"contentType": der.utf8_string("data")}),
        ("no content info", {"contentInfo": b""}),
    ]:
        tests.refused(comment, receipt(edit=edit), "container-malformed")


def certificates(file):
    tests = group(file, "The number and the order of the certificates")
    three = STANDARD.ders()
    for comment, listed in [
        ("none", []),
        ("the leaf alone", three[:1]),
        ("the root is missing", three[:2]),
        ("the root twice", [*three, three[2]]),
        ("another root in addition", [*three, OTHER.root.der]),
        ("five", [*three, *three[1:]]),
        ("64", three + [three[2]] * 61),
    ]:
        changed = receipt(edit={"certificates": der.explicit(0, b"".join(listed))})
        tests.refused(comment, changed, "chain-length")
    tests.refused("no list of certificates", receipt(edit={"certificates": b""}), "container-malformed")
    for comment, order in [("the root first", (2, 1, 0)), ("the intermediate first", (1, 0, 2))]:
        listed = b"".join(three[index] for index in order)
        tests.refused(comment, receipt(edit={"certificates": der.explicit(0, listed)}), "signer-mismatch")
    listed = der.explicit(0, three[0] + three[2] + three[1])
    tests.refused("the root before the intermediate", receipt(edit={"certificates": listed}), "chain-invalid")
    for comment, change in [
        ("a list in [1]", retagged(0xA1)),
        ("a list in a SET", retagged(0x31)),
        ("a text after the certificates", after(der.utf8_string("x"))),
        ("a text before the certificates", lambda old: der.explicit(0, der.utf8_string("x") + b"".join(three))),
        ("the list twice", lambda old: old + old),
    ]:
        tests.refused(comment, receipt(edit={"certificates": change}), "container-malformed")
    behind = receipt(edit={"certificates": b"", "signers": lambda old: old + der.explicit(0, b"".join(three))})
    tests.refused("the list behind the signers", behind, "container-malformed")


def signers(file):
    tests = group(file, "The signer")
    tests.refused("no signer", receipt(edit={"signers": der.set_of()}), "container-malformed")
    tests.refused("no list of signers", receipt(edit={"signers": b""}), "container-malformed")
    tests.refused(
        "a list of signers that is a SEQUENCE", receipt(edit={"signers": retagged(0x30)}), "container-malformed"
    )
    tests.refused("the signer twice", receipt(edit={"signers": twice}), "container-unsupported")
    other = receipt(by=OTHER)
    start, _, end = der.place(other, 1, 0, 4, 0)
    changed = receipt(edit={"signers": after(other[start:end])})
    tests.refused("a second signer of another authority", changed, "container-unsupported", "OneFlaw Forged")
    changed = receipt(edit={"signers": after(der.null())})
    tests.refused("a second signer that is NULL", changed, "container-malformed")
    genuine = issuer_and_serial(STANDARD.certificates[0].der)
    start, inside, end = der.place(genuine, 1)
    serial = int.from_bytes(genuine[inside:end], "big")
    issuer = genuine[slice(*der.place(genuine, 0)[::2])]
    printable = issuer.replace(b"\x0c\x14", b"\x13\x14")
    assert printable != issuer
    for comment, name in [
        ("the intermediate", issuer_and_serial(STANDARD.certificates[1].der)),
        ("the leaf of another authority", issuer_and_serial(OTHER.certificates[0].der)),
        ("the next serial number", der.sequence(issuer, der.integer(serial + 1))),
        ("the negative serial number", der.sequence(issuer, der.integer(-serial))),
        ("an empty issuer", der.sequence(der.sequence(), der.integer(serial))),
        ("the issuer in a PrintableString", der.sequence(printable, der.integer(serial))),
    ]:
        tests.refused(f"it names {comment}", receipt(edit={"signerName": name}), "signer-mismatch", "OneFlaw Forged")
    for comment, name in [
        ("no serial number", der.sequence(issuer)),
        ("an element after the serial number", der.sequence(issuer, der.integer(serial), der.null())),
        ("a key identifier in place of a name", der.implicit(0, hashlib.sha1(LEAF_KEY.spki()).digest())),
        ("nothing", b""),
    ]:
        tests.refused(f"it has {comment}", receipt(edit={"signerName": name}), "container-malformed")
    tests.refused(
        "an element after the signature",
        receipt(edit={"signature": lambda old: old + der.null()}),
        "container-malformed",
    )


def pkcs9(number, value):
    return der.sequence(der.oid(f"1.2.840.113549.1.9.{number}"), der.set_of(value))


def optional_parts(file):
    tests = group(file, "Parts that PKCS #7 allows, and the App Store does not write")
    digest = hashlib.sha256(payload()).digest()
    listed = pkcs9(3, der.oid("1.2.840.113549.1.7.1")) + pkcs9(4, der.octet_string(digest))
    over = LEAF_KEY.sign(der.tlv(0x31, listed))
    for comment, edit in [
        (
            "signed attributes, under a valid signature",
            {"signedAttributes": der.tlv(0xA0, listed), "signature": der.octet_string(over)},
        ),
        ("signed attributes beside a signature of the content", {"signedAttributes": der.tlv(0xA0, listed)}),
        ("no signed attributes in their list", {"signedAttributes": der.tlv(0xA0, b"")}),
        ("unsigned attributes", {"unsignedAttributes": der.tlv(0xA1, pkcs9(13, der.null()))}),
        ("no unsigned attributes in their list", {"unsignedAttributes": der.tlv(0xA1, b"")}),
        ("an empty list of revocations", {"revocationLists": der.tlv(0xA1, b"")}),
        ("a revocation list", {"revocationLists": der.tlv(0xA1, der.sequence(der.sequence()))}),
    ]:
        tests.refused(comment, receipt(edit=edit), "container-unsupported")


def algorithms(file):
    tests = group(file, "The algorithms that container and signer name")
    sha1, sha256 = (algorithm(DIGEST_INFO_OIDS[name]) for name in ("sha1", "sha256"))
    for name in ("md5", "sha384", "sha512"):
        tests.refused(f"signed with {name}", receipt(digest=name), "receipt-algorithm")
    for comment, listed in [
        ("SHA-1 in the container, SHA-256 in the signer", [sha1]),
        ("both in the container", [sha1, sha256]),
        ("SHA-256 twice in the container", [sha256, sha256]),
        ("none in the container", []),
        ("NULL missing in the container", [algorithm(DIGEST_INFO_OIDS["sha256"], b"")]),
    ]:
        changed = receipt(edit={"digestAlgorithms": der.set_of(*listed)})
        tests.refused(comment, changed, "receipt-algorithm")
    changed = receipt(edit={"digestAlgorithms": der.set_of(sha256), "digestAlgorithm": sha1})
    tests.refused("SHA-256 in the container, SHA-1 in the signer", changed, "receipt-algorithm", "OneFlaw Confusion")
    for comment, parameters in [
        ("without parameters", b""),
        ("with an OCTET STRING as parameters", der.octet_string(b"")),
    ]:
        made = algorithm(DIGEST_INFO_OIDS["sha256"], parameters)
        changed = receipt(edit={"digestAlgorithms": der.set_of(made), "digestAlgorithm": made})
        tests.refused(f"SHA-256 {comment} in both", changed, "receipt-algorithm")
    changed = receipt(edit={"digestAlgorithms": der.set_of(sha1), "digestAlgorithm": sha1})
    tests.refused("SHA-1 in both, signed with SHA-256", changed, "signature-invalid", "OneFlaw Confusion")
    for comment, made in [
        ("RSA with SHA-256", algorithm("1.2.840.113549.1.1.11")),
        ("RSA with SHA-1", algorithm("1.2.840.113549.1.1.5")),
        ("RSASSA-PSS", algorithm("1.2.840.113549.1.1.10")),
        ("ECDSA with SHA-256", algorithm("1.2.840.10045.4.3.2", b"")),
        ("RSA without parameters", algorithm(RSA_ENCRYPTION, b"")),
        ("RSA with a number as parameters", algorithm(RSA_ENCRYPTION, der.integer(0))),
    ]:
        tests.refused(f"signature algorithm {comment}", receipt(edit={"signatureAlgorithm": made}), "receipt-algorithm")
    for element in ("digestAlgorithms", "digestAlgorithm", "signatureAlgorithm"):
        name = {"digestAlgorithms": "digest algorithms", "digestAlgorithm": "the signer's digest algorithm"}
        comment = name.get(element, "the signature algorithm")
        tests.refused(f"{comment} missing", receipt(edit={element: b""}), "container-malformed")


def signed(octets):
    return {"signature": der.octet_string(octets)}


def signatures(file):
    tests = group(file, "The signature")
    genuine = LEAF_KEY.sign(payload())
    changed = payload(a2="com.example.other")
    for comment, edit in [
        ("no byte", signed(b"")),
        ("without its last byte", signed(genuine[:-1])),
        ("with a zero byte in front", signed(b"\0" + genuine)),
        ("with a zero byte at the end", signed(genuine + b"\0")),
        ("all zero", signed(bytes(256))),
        ("reversed", signed(genuine[::-1])),
        ("the first bit changed", signed(bytes([genuine[0] ^ 0x80]) + genuine[1:])),
        ("the last bit changed", signed(genuine[:-1] + bytes([genuine[-1] ^ 1]))),
        ("larger than the modulus", signed(b"\xff" * 256)),
        (
            "the same number plus the modulus",
            signed((int.from_bytes(genuine, "big") + LEAF_KEY.modulus).to_bytes(257, "big")),
        ),
        ("of another content", signed(LEAF_KEY.sign(changed))),
        ("of the content with its identifier and length", signed(LEAF_KEY.sign(der.octet_string(payload())))),
        ("of the attributes without their SET", signed(LEAF_KEY.sign(payload()[2:]))),
        ("with the key of the intermediate", signed(INTERMEDIATE_KEY.sign(payload()))),
        ("with SHA-1 where SHA-256 is named", signed(LEAF_KEY.sign(payload(), "sha1"))),
    ]:
        tests.refused(comment, receipt(edit=edit), "signature-invalid", "OneFlaw Forged")
    tests.refused(
        "the content changed after signing",
        receipt(edit={"content": der.octet_string(changed)}),
        "signature-invalid",
        "OneFlaw Forged",
    )
    mixed = receipt(by=OTHER, edit={"certificates": der.explicit(0, b"".join(STANDARD.ders()))})
    tests.refused("a receipt of another authority with these certificates", mixed, "signer-mismatch", "Forged")
    name = issuer_and_serial(STANDARD.certificates[0].der)
    mixed = receipt(by=OTHER, edit={"certificates": der.explicit(0, b"".join(STANDARD.ders())), "signerName": name})
    tests.refused("the same, with the name of the leaf", mixed, "signature-invalid", "Forged")
    tests.refused("a signature in a BIT STRING", receipt(edit={"signature": retagged(0x03)}), "container-malformed")
    tests.refused(
        "a signature in a constructed OCTET STRING", receipt(edit={"signature": retagged(0x24)}), "container-malformed"
    )
    tests.refused("no signature", receipt(edit={"signature": b""}), "container-malformed")


def raw_signature(info, padding=None, block=1):
    """Returns the signature of a block with this DigestInfo behind its padding (RFC 8017 9.2)."""
    padding = b"\xff" * (253 - len(info)) if padding is None else padding
    octets = bytes([0, block]) + padding + b"\0" + info
    octets += bytes(256 - len(octets))
    return pow(int.from_bytes(octets, "big"), LEAF_KEY.private, LEAF_KEY.modulus).to_bytes(256, "big")


def paddings(file):
    tests = group(file, "The block that is signed: PKCS #1 v1.5 and nothing else")
    digest = der.octet_string(hashlib.sha256(payload()).digest())
    named = algorithm(DIGEST_INFO_OIDS["sha256"])
    info = der.sequence(named, digest)
    tests.verified("as PKCS #1 has it", receipt(edit=signed(raw_signature(info))))
    bare = algorithm(DIGEST_INFO_OIDS["sha256"], b"")
    for comment, octets in [
        ("without NULL in the DigestInfo", raw_signature(der.sequence(bare, digest))),
        ("the digest without its DigestInfo", raw_signature(hashlib.sha256(payload()).digest())),
        (
            "another algorithm in the DigestInfo",
            raw_signature(der.sequence(algorithm(DIGEST_INFO_OIDS["sha384"]), digest)),
        ),
        ("a long length in the DigestInfo", raw_signature(der.with_long_length(info))),
        ("an element more in the DigestInfo", raw_signature(der.sequence(named, digest, der.null()))),
        ("zero bytes behind the DigestInfo", raw_signature(info, b"\xff" * 8)),
        (
            "short padding, the rest in the parameters",
            raw_signature(der.sequence(algorithm(DIGEST_INFO_OIDS["sha256"], der.octet_string(bytes(130))), digest)),
        ),
        ("block type 2", raw_signature(info, block=2)),
        ("block type 0", raw_signature(info, block=0)),
        ("padding with another byte in it", raw_signature(info, b"\xff" * 100 + b"\xfe" + b"\xff" * (152 - len(info)))),
    ]:
        tests.refused(comment, receipt(edit=signed(octets)), "signature-invalid", "OneFlaw Forged")


def lengths(file):
    names = {
        "container": "the container",
        "type": "the type of the container",
        "wrapper": "[0] around the SignedData",
        "signedData": "the SignedData",
        "version": "the version",
        "digestAlgorithms": "the digest algorithms",
        "contentInfo": "the content info",
        "contentType": "the type of the content",
        "contentWrapper": "[0] around the content",
        "content": "the content",
        "certificates": "the certificates",
        "signers": "the signers",
        "signer": "the signer",
        "signerVersion": "the signer's version",
        "signerName": "the name of the signer",
        "digestAlgorithm": "the signer's digest algorithm",
        "signatureAlgorithm": "the signature algorithm",
        "signature": "the signature",
    }
    tests = group(file, "A length that is not the shortest: BER, not DER")
    for name, comment in names.items():
        tests.refused(comment, receipt(edit={name: der.with_long_length}), "container-malformed")
    tests = group(file, "An element of indefinite length inside a container in DER")
    for name in (
        "wrapper",
        "signedData",
        "digestAlgorithms",
        "contentInfo",
        "contentWrapper",
        "certificates",
        "signers",
    ):
        tests.refused(names[name], receipt(edit=indefinite(name)), "container-malformed")
    tests = group(file, "Lengths that no input can have")
    head = GOOD[:1]
    for comment, octets in [
        ("of 4 GiB", b"\x84\xff\xff\xff\xff"),
        ("of 2 GiB less 1", b"\x84\x7f\xff\xff\xff"),
        ("of 16 EiB", b"\x88" + b"\xff" * 8),
        ("of 127 bytes", b"\xff" + b"\xff" * 127),
        ("that begins with zero bytes", b"\x85\x00" + GOOD[2:4].rjust(4, b"\0")),
        ("of 255, the reserved form", b"\xff"),
    ]:
        tests.refused(f"a length {comment}", head + octets + GOOD[4:], "container-malformed", "OneFlaw Hostile")


def xcode(file):
    tests = group(file, "Receipts of Xcode: BER, and one certificate that is trusted itself", [XCODE], XCODE_CHAIN)
    tests.verified("as Xcode writes it", local())
    tests.verified(
        "signature algorithm RSA without a digest", local(signatureAlgorithm=algorithm(RSA_ENCRYPTION)), "Odd"
    )
    chunks = [
        der.octet_string(payload(a0="Xcode")[start : start + 20]) for start in range(0, len(payload(a0="Xcode")), 20)
    ]
    pieces = der.with_indefinite_length(der.tlv(0x24, b"".join(chunks)))
    tests.verified("content in pieces of 20 bytes", local(content=pieces), "Odd")
    tests.verified(
        "only the container has an indefinite length",
        receipt(payload(a0="Xcode"), XCODE_CHAIN, edit=indefinite("container")),
        "Odd",
    )
    for kind in ("Production", "ProductionSandbox", "xcode", ""):
        code = "environment-mismatch" if kind else "attribute-missing"
        tests.refused(f"receipt type {kind or 'empty'}", local(payload(a0=kind)), code)
    ber = local()
    tests.refused("in DER", receipt(payload(a0="Xcode"), XCODE_CHAIN), "chain-length")
    tests.refused("cut in the middle", ber[: len(ber) // 2], "container-malformed", "Damaged")
    tests.refused("without the end of the last element", ber[:-2], "container-malformed", "Damaged")
    tests.refused("followed by a zero byte", ber + b"\0", "container-malformed")
    tests.refused("followed by an end more", ber + b"\0\0", "container-malformed")
    tests.refused(
        "one byte of the content changed",
        ber.replace(b"com.example.app", b"com.example.apq"),
        "signature-invalid",
        "OneFlaw Forged",
    )
    tests.refused("signed with SHA-512", local(digest="sha512"), "receipt-algorithm")
    tests.refused("two signers", local(signers=twice), "container-unsupported")
    tests.refused("version 2", local(version=der.integer(2)), "container-unsupported")
    two = der.explicit(0, XCODE.der + XCODE.der)
    tests.refused("the certificate twice", local(certificates=two), "chain-length")
    deep = b"\x24\x80" * 1000 + der.octet_string(payload(a0="Xcode")) + b"\0\0" * 1000
    tests.refused(
        "content nested in 1,000 OCTET STRINGs", local(content=deep), "container-malformed", "OneFlaw Hostile"
    )
    for comment, more, code in [("", 0, None), (", and two bytes more", 1, "too-large")]:
        # Empty pieces in front of the content leave it as it is.
        marker = der.octet_string(b"pieces go here")
        made = local(content=lambda octets: der.with_indefinite_length(der.tlv(0x24, marker + octets)))
        before, after_pieces = made.split(marker)
        count, rest = divmod((BER_LIMIT - len(before) - len(after_pieces)) // 2 + more, 512)
        pieces = {"repeat": b64(b"\x04\0" * 512), "count": count}
        full = [*tests.parts(before), pieces, *tests.parts(b"\x04\0" * rest + after_pieces)]
        comment = f"256 KiB of BER, of which the most is empty pieces{comment}"
        if code:
            tests.refused(comment, full, code, "Boundary")
        else:
            tests.verified(comment, full, "Boundary")
    nested = b"\x30\x80" + der.oid("1.2.840.113549.1.7.2") + b"\xa0\x80" * 10_000
    tests.refused("10,000 elements without an end", nested, "container-malformed", "OneFlaw Hostile")
    tests = group(file, "A receipt of Xcode whose certificate is not trusted", [ROOT], XCODE_CHAIN)
    tests.refused("as Xcode writes it", local(), "chain-length")
    tests = group(file, "A container in BER, as only Xcode writes it, with three certificates")
    tests.refused(
        "BER of indefinite length", receipt(edit=indefinite("container", "wrapper", "signedData")), "chain-length"
    )
    tests.refused("only the outermost element", receipt(edit=indefinite("container")), "chain-length")
