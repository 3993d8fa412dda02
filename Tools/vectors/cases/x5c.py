"""jws-x5c.json: the list of certificates: count, order, base64, DER, version and extensions."""

import base64

from .. import certs, der, payloads
from ..authority import (
    INTERMEDIATE,
    LEAF,
    LEAF_NAME,
    OTHER_CHAIN,
    ROOT,
    ROOT_KEY,
    ROOT_NAME,
    STANDARD,
    chain,
    intermediate_extensions,
    leaf_extensions,
    make_intermediate,
    make_leaf,
    make_root,
)
from ..jws import b64, header, sign
from ..vectorfile import VectorFile

PAYLOAD = payloads.brief_transaction()
LEAF_TEXT, INTERMEDIATE_TEXT, ROOT_TEXT = header()["x5c"]
NAMES = ("leaf", "intermediate", "root")


def build():
    file = VectorFile("jws-x5c.json", "the list of certificates: count, order, base64, DER")
    counts(file)
    orders(file)
    elements(file)
    contents(file)
    return file


def listed(*entries):
    """Returns a transaction with this list, signed by the standard leaf."""
    return sign(PAYLOAD, x5c=list(entries))


def counts(file):
    group = file.jws("x5c must have exactly three certificates", [ROOT])
    group.verified("leaf, intermediate, root", listed(LEAF_TEXT, INTERMEDIATE_TEXT, ROOT_TEXT))
    for comment, entries in [
        ("empty list", []),
        ("only the leaf", [LEAF_TEXT]),
        ("only the intermediate", [INTERMEDIATE_TEXT]),
        ("root missing", [LEAF_TEXT, INTERMEDIATE_TEXT]),
        ("intermediate missing", [LEAF_TEXT, ROOT_TEXT]),
        ("leaf missing", [INTERMEDIATE_TEXT, ROOT_TEXT]),
        ("the root twice", [LEAF_TEXT, INTERMEDIATE_TEXT, ROOT_TEXT, ROOT_TEXT]),
        ("the intermediate twice", [LEAF_TEXT, INTERMEDIATE_TEXT, INTERMEDIATE_TEXT, ROOT_TEXT]),
        ("an additional empty string", [LEAF_TEXT, INTERMEDIATE_TEXT, ROOT_TEXT, ""]),
        ("an additional null", [LEAF_TEXT, INTERMEDIATE_TEXT, ROOT_TEXT, None]),
        (
            "an additional root of a different authority",
            [LEAF_TEXT, INTERMEDIATE_TEXT, ROOT_TEXT, b64(OTHER_CHAIN.root.der)],
        ),
        ("1000 entries", ["AA=="] * 1000),
        ("40 genuine certificates", [LEAF_TEXT, INTERMEDIATE_TEXT] + [ROOT_TEXT] * 38),
    ]:
        group.refused(comment, listed(*entries), "chain-length", "OneFlaw Hostile" if len(entries) > 4 else "OneFlaw")


def orders(file):
    group = file.jws("The order must be leaf, intermediate, root", [ROOT])
    leaf, middle, root = LEAF_TEXT, INTERMEDIATE_TEXT, ROOT_TEXT
    for comment, entries, code in [
        ("root, intermediate, leaf", (root, middle, leaf), "chain-invalid"),
        ("intermediate, leaf, root", (middle, leaf, root), "chain-invalid"),
        ("leaf, root, intermediate", (leaf, root, middle), "chain-invalid"),
        ("root, leaf, intermediate", (root, leaf, middle), "chain-invalid"),
        ("intermediate, root, leaf", (middle, root, leaf), "chain-invalid"),
        ("intermediate, intermediate, root", (middle, middle, root), "chain-invalid"),
        ("intermediate, root, root", (middle, root, root), "leaf-is-ca"),
        ("root, root, root", (root, root, root), "leaf-is-ca"),
        ("leaf, leaf, leaf", (leaf, leaf, leaf), "chain-invalid"),
        ("leaf, leaf, root", (leaf, leaf, root), "chain-invalid"),
        ("leaf, intermediate, intermediate", (leaf, middle, middle), "chain-invalid"),
    ]:
        group.refused(comment, listed(*entries), code, "Hostile")


def with_entry(index, text):
    entries = [LEAF_TEXT, INTERMEDIATE_TEXT, ROOT_TEXT]
    entries[index] = text
    return listed(*entries)


def elements(file):
    group = file.jws("Each entry must be canonical standard base64 of exactly one certificate in DER", [ROOT])
    ders = STANDARD.ders()
    for index, name in enumerate(NAMES):
        text, octets = b64(ders[index]), ders[index]
        cases = [
            ("empty string", ""),
            ("a number", 7),
            ("null", None),
            ("an array", [text]),
            ("an object", {"der": text}),
            ("plain text", "certificate"),
            ("base64 of plain text", b64(b"this is no certificate")),
            ("base64 twice", b64(text.encode())),
            ("PEM", f"-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n"),
            ("a line feed in the middle", text[:64] + "\n" + text[64:]),
            ("a trailing space", text + " "),
            ("a leading space", " " + text),
            ("a trailing byte after the certificate", b64(octets + b"\0")),
            ("a second certificate after the first", b64(octets + ders[2])),
            ("the last byte missing", b64(octets[:-1])),
            ("only the first half", b64(octets[: len(octets) // 2])),
            ("only the first two bytes", b64(octets[:2])),
            ("only the public key", b64(STANDARD.certificates[index].key.spki())),
            ("outer length encoded in one byte more than necessary", b64(der.with_long_length(octets))),
            ("outer length indefinite", b64(der.with_indefinite_length(octets))),
            ("a SET instead of the outer SEQUENCE", b64(b"\x31" + octets[1:])),
            ("an empty SEQUENCE", b64(b"\x30\x00")),
            ("a length of four gigabytes", b64(b"\x30\x84\xff\xff\xff\xff" + octets[4:])),
        ]
        # The leaf gets every form; for the others every second one shows that the rule applies to them too.
        for comment, entry in cases[:: 1 if index == 0 else 2]:
            group.refused(
                f"{name}: {comment}",
                with_entry(index, entry),
                "certificate-malformed",
                "OneFlaw" if isinstance(entry, str) else "Hostile",
            )


def padded(count, **options):
    """Returns a chain whose leaf needs `count` characters of padding, by choosing the length of its name."""
    for extra in range(12):
        leaf = make_leaf(subject=certs.name("Signing" + "g" * extra), **options)
        if -len(leaf.der) % 3 == count:
            return chain(leaf)
    raise AssertionError("no such length")


def contents(file):
    group = file.jws("Padding, spare bits and alphabet of the leaf's base64", [ROOT])
    for count in (0, 1, 2):
        group.verified(f"padded with {'=' * count or 'nothing'}", sign(PAYLOAD, padded(count)))
    for count in (1, 2):
        made = padded(count)
        leaf, rest = b64(made.certificates[0].der), [INTERMEDIATE_TEXT, ROOT_TEXT]
        group.refused(
            f"padding {'=' * count} missing",
            sign(PAYLOAD, made, x5c=[leaf.rstrip("=")] + rest),
            "certificate-malformed",
        )
        group.refused(
            f"one = too many after {'=' * count}",
            sign(PAYLOAD, made, x5c=[leaf + "="] + rest),
            "certificate-malformed",
        )
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        body = leaf.rstrip("=")
        spare = body[:-1] + alphabet[alphabet.index(body[-1]) + 1] + "=" * count
        assert base64.b64decode(spare) == base64.b64decode(leaf)
        group.refused(
            f"spare bits set before {'=' * count}",
            sign(PAYLOAD, made, x5c=[spare] + rest),
            "certificate-malformed",
        )
    url = LEAF_TEXT.replace("+", "-").replace("/", "_")
    assert url != LEAF_TEXT
    group.refused("base64url alphabet", listed(url, INTERMEDIATE_TEXT, ROOT_TEXT), "certificate-malformed")
    certificate_contents(file)


def certificate_contents(file):
    group = file.jws("Version and extensions of the certificates", [ROOT])
    for version in (1, 2):
        group.refused(
            f"leaf of version {version}", sign(PAYLOAD, chain(make_leaf(version=version))), "certificate-malformed"
        )
        intermediate = make_intermediate(version=version)
        group.refused(
            f"intermediate of version {version}",
            sign(PAYLOAD, chain(make_leaf(intermediate), intermediate)),
            "certificate-malformed",
        )
    version_one = make_root(extensions={}, version=1)
    assert version_one.subject == ROOT_NAME
    group.verified(
        "x5c[2] of version 1 with the root's name and key", sign(PAYLOAD, chain(root=version_one)), flags="Odd"
    )
    for repeated in ("keyUsage", "marker", "basicConstraints"):
        leaf = make_leaf(extensions={**leaf_extensions(), "again": leaf_extensions()[repeated]})
        group.refused(f"leaf with {repeated} twice", sign(PAYLOAD, chain(leaf)), "certificate-malformed")
        extensions = intermediate_extensions()
        intermediate = make_intermediate(extensions={**extensions, "again": extensions[repeated]})
        group.refused(
            f"intermediate with {repeated} twice",
            sign(PAYLOAD, chain(make_leaf(intermediate), intermediate)),
            "certificate-malformed",
        )
    unknown = certs.extension(certs.PRIVATE_EXTENSION, der.null())
    leaf = make_leaf(extensions={**leaf_extensions(), "one": unknown, "two": unknown})
    group.refused("leaf with an unknown extension twice", sign(PAYLOAD, chain(leaf)), "certificate-malformed")
    denied = certs.basic_constraints(True)
    leaf = make_leaf(extensions={**leaf_extensions(), "again": denied})
    group.refused(
        "leaf with two contradictory basicConstraints", sign(PAYLOAD, chain(leaf)), "certificate-malformed", "Hostile"
    )
    assert LEAF.subject == LEAF_NAME and ROOT.key is ROOT_KEY and INTERMEDIATE.key is not ROOT_KEY
