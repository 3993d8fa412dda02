"""key-cache.json: the sealed file of the verification-key cache: valid, damaged, foreign, with invalid content."""

import hashlib

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from .. import payloads
from ..authority import FULL_CHAIN, STANDARD
from ..jws import b64, json_bytes
from ..keys import ECKey, Ed25519Key, RSAKey, stream
from ..vectorfile import VectorFile

MAGIC, VERSION = b"RVKCACHE", b"\x02"
SEALING_KEY = stream("sealing key", 32)
CAPACITY = 64


def key_id(key):
    return hashlib.sha256(key).digest()[:8]


def seal(content, key=SEALING_KEY, magic=MAGIC, version=VERSION, identifier=None, nonce=None):
    """Returns a cache file with this content."""
    header = magic + version + (identifier or key_id(key)) + (nonce or hashlib.sha256(content).digest()[:12])
    return header + AESGCM(key).encrypt(header[17:], content, header)


def fingerprint(ders):
    """Returns SHA-256 over every certificate, each preceded by its length."""
    return hashlib.sha256(b"".join(len(der).to_bytes(4, "big") + der for der in ders)).hexdigest()


def entry(signer=STANDARD, /, **changes):
    """Returns an entry for this chain, as the cache writes it."""
    anchor = hashlib.sha256(signer.root.der).digest()
    return payloads.changed(
        {
            "chain": fingerprint(signer.ders()),
            "publicKey": b64(signer.key.spki()),
            "notBefore": payloads.ms("2025-01-01"),
            "notAfter": payloads.ms("2027-01-01"),
            "anchor": anchor.hex(),
            "anchorSet": hashlib.sha256(anchor).hexdigest(),
            "localTesting": False,
            "leafSubject": "CN=Test Receipt Signing",
            "leafSerial": "4a5b6c7d8e9f0011",
            "leaf": hashlib.sha256(signer.ders()[0]).hexdigest(),
            "digests": [digests(name) for name in ("leaf", "intermediate")],
            "anchorDigests": digests("root"),
            "otherRoots": [],
        },
        changes,
    )


def digests(name):
    """Returns digests in the place of those of a certificate; their number is that of an RSA certificate."""
    return [stream(f"{name} {index}", 32).hex() for index in range(4)]


def brief(value):
    """Returns a value as a comment shows it, a list by its length and those of its lists."""
    if not isinstance(value, list):
        return repr(value)
    return f"a list of {len(value)}" + "".join(f", {len(part)}" for part in value)


def numbered(number):
    """Returns an entry with a chain and a key of its own."""
    return entry(chain=stream(f"chain {number}", 32).hex(), publicKey=b64(ECKey(f"entry {number}").spki()))


def sealed(*entries):
    return seal(json_bytes({"entries": list(entries)}))


class Files:
    """A group of cache files under one sealing key."""

    def __init__(self, file, comment, key=SEALING_KEY):
        self.group = file.group("key-cache", comment, sealingKey=key.hex())

    def loaded(self, comment, octets, entries, flags="Valid"):
        self.group.add(comment, flags, file=b64(octets), outcome="loaded", entries=entries, code=None)

    def ignored(self, comment, octets, code, flags="OneFlaw"):
        self.group.add(comment, flags, file=b64(octets), outcome="ignored", entries=0, code=code)


def build():
    file = VectorFile(
        "key-cache.json", "the sealed file of the key cache: valid, damaged, foreign, with invalid content"
    )
    good(file)
    truncated(file)
    headers(file)
    damaged(file)
    contents(file)
    entries(file)
    return file


def good(file):
    group = Files(file, "Files that are loaded")
    group.loaded("no entry", sealed(), 0)
    group.loaded("one entry", sealed(entry()), 1)
    group.loaded("two entries", sealed(entry(), entry(FULL_CHAIN)), 2)
    group.loaded("an entry for local testing", sealed(entry(localTesting=True, digests=[])), 1)
    group.loaded("notBefore equals notAfter", sealed(entry(notBefore=0, notAfter=0)), 1, "Boundary")
    group.loaded("insignificant white space in the content", seal(b' {\n "entries" : [ ] }\n'), 0, "Odd")
    group.loaded("a different nonce", seal(json_bytes({"entries": [entry()]}), nonce=b"\0" * 11 + b"\1"), 1)
    group.loaded("as many entries as the cache holds", sealed(*map(numbered, range(CAPACITY))), CAPACITY, "Boundary")
    group.loaded(
        "one entry more than the cache holds: the last entries are kept",
        sealed(*map(numbered, range(CAPACITY + 1))),
        CAPACITY,
        "Boundary",
    )


def truncated(file):
    whole = sealed(entry())
    group = Files(file, "Files of the wrong length")
    group.ignored("empty", b"", "cache-truncated")
    for size in (1, 4, 7, 8, 9, 16, 17, 28, 29, 44):
        group.ignored(f"cut to length {size}", whole[:size], "cache-truncated", "OneFlaw Damaged")
    for size in (45, 46, 100, len(whole) // 2, len(whole) - 16, len(whole) - 1):
        group.ignored(f"cut to length {size}", whole[:size], "cache-damaged", "OneFlaw Damaged")
    group.ignored("a trailing byte", whole + b"\0", "cache-damaged", "OneFlaw Damaged")
    group.ignored("the file twice", whole * 2, "cache-damaged", "OneFlaw Damaged")


def headers(file):
    content = json_bytes({"entries": [entry()]})
    group = Files(file, "One field of the header changed, and the content sealed with that header")
    for comment, magic in [
        ("one letter in lower case", b"RVKCACHe"),
        ("first letter changed", b"XVKCACHE"),
        ("eight zero bytes", bytes(8)),
        ("of an SQLite database", b"SQLite f"),
    ]:
        group.ignored(f"magic: {comment}", seal(content, magic=magic), "cache-foreign")
    for text in (b"hello", b"{}", b"R\0", b"RVKCACHX"):
        group.ignored(f"a short file without the magic: {text!r}", text, "cache-foreign")
    group.ignored("a text file", b'{"entries":[]}' * 10, "cache-foreign")
    group.ignored("200 zero bytes", bytes(200), "cache-foreign")
    for version in (0, 1, 3, 49, 255):
        group.ignored(f"version {version}", seal(content, version=bytes([version])), "cache-version")
    group.ignored(
        "sealed with the right key under a different key ID", seal(content, identifier=key_id(b"other")), "cache-key"
    )
    group.ignored(
        "one bit of the key ID changed",
        seal(content, identifier=bytes([key_id(SEALING_KEY)[0] ^ 1]) + key_id(SEALING_KEY)[1:]),
        "cache-key",
    )
    other = stream("another sealing key", 32)
    group.ignored("sealed with a different key", seal(content, key=other), "cache-key")
    group.ignored(
        "sealed with a different key under the right key ID",
        seal(content, key=other, identifier=key_id(SEALING_KEY)),
        "cache-damaged",
        "OneFlaw Forged",
    )
    second = Files(file, "A second sealing key", other)
    second.loaded("sealed with the second key", seal(content, key=other), 1)
    second.ignored("sealed with the first key", seal(content), "cache-key")


def damaged(file):
    whole = sealed(entry())
    group = Files(file, "One bit changed, or parts of two files combined")
    places = [
        ("first byte of the magic", 0, "cache-foreign"),
        ("last byte of the magic", 7, "cache-foreign"),
        ("version", 8, "cache-version"),
        ("first byte of the key id", 9, "cache-key"),
        ("last byte of the key id", 16, "cache-key"),
        ("first byte of the nonce", 17, "cache-damaged"),
        ("last byte of the nonce", 28, "cache-damaged"),
        ("first byte of the content", 29, "cache-damaged"),
        ("middle of the content", len(whole) // 2, "cache-damaged"),
        ("last byte of the content", len(whole) - 17, "cache-damaged"),
        ("first byte of the tag", len(whole) - 16, "cache-damaged"),
        ("last byte of the tag", len(whole) - 1, "cache-damaged"),
    ]
    for comment, position, code in places:
        changed = bytearray(whole)
        changed[position] ^= 0x10
        group.ignored(f"one bit changed: {comment}", bytes(changed), code, "OneFlaw Damaged")
    other = sealed(entry(FULL_CHAIN))
    group.ignored("the tag of a different file", whole[:-16] + other[-16:], "cache-damaged", "OneFlaw Forged")
    group.ignored("the header of a different file", other[:29] + whole[29:], "cache-damaged", "OneFlaw Forged")
    group.ignored("a tag of zero bytes", whole[:-16] + bytes(16), "cache-damaged", "OneFlaw Forged")
    header = whole[:29]
    unbound = header + AESGCM(SEALING_KEY).encrypt(header[17:], json_bytes({"entries": []}), None)
    group.ignored("sealed without the header as associated data", unbound, "cache-damaged", "OneFlaw Forged")
    group.ignored("not encrypted", header + json_bytes({"entries": []}) + bytes(16), "cache-damaged", "OneFlaw Forged")


def contents(file):
    group = Files(file, "Correctly sealed files with invalid content")
    for comment, content in [
        ("empty", b""),
        ("plain text", b"hello"),
        ("incomplete JSON", json_bytes({"entries": [entry()]})[:-1]),
        ("an array", b"[]"),
        ("null", b"null"),
        ("an empty object", b"{}"),
        ("entries is null", b'{"entries":null}'),
        ("entries is an object", b'{"entries":{}}'),
        ("entries is a number", b'{"entries":1}'),
        ("an entry is a string", b'{"entries":["a"]}'),
        ("an entry is null", b'{"entries":[null]}'),
        ("an entry is an array", b'{"entries":[[]]}'),
        ("an empty entry", b'{"entries":[{}]}'),
        ("not UTF-8", b'{"entries":[],"a":"\xff"}'),
        ("a trailing letter", b'{"entries":[]}x'),
    ]:
        group.ignored(comment, seal(content), "cache-content")


def entries(file):
    group = Files(file, "One invalid entry: the file is ignored")
    good_hex = entry()["chain"]
    for name in ("chain", "anchor", "anchorSet"):
        for comment, value in [
            ("a number", 7),
            ("null", None),
            ("empty", ""),
            ("one digit short", good_hex[:-1]),
            ("one byte short", good_hex[:-2]),
            ("one byte long", good_hex + "00"),
            ("not hexadecimal", "zz" + good_hex[2:]),
            ("missing", payloads.ABSENT),
        ]:
            group.ignored(f"{name}: {comment}", sealed(entry(**{name: value})), "cache-content")
    spki = STANDARD.key.spki()
    keys = [
        ("a number", 7),
        ("null", None),
        ("empty", ""),
        ("missing", payloads.ABSENT),
        ("not base64", "*" * 40),
        ("base64 of plain text", b64(b"hello")),
        ("one byte short", b64(spki[:-1])),
        ("on P-384", b64(ECKey("cache", "P-384").spki())),
        ("on secp256k1", b64(ECKey("cache", "secp256k1").spki())),
        ("RSA", b64(RSAKey("rsa-2048", 2048).spki())),
        ("Ed25519", b64(Ed25519Key("cache").spki())),
        ("not on the curve", b64(spki[:-1] + bytes([spki[-1] ^ 1]))),
    ]
    for comment, value in keys:
        group.ignored(f"publicKey: {comment}", sealed(entry(publicKey=value)), "cache-content")
    for name in ("notBefore", "notAfter"):
        for comment, value in [("a string", "1"), ("null", None), ("missing", payloads.ABSENT), ("true", True)]:
            group.ignored(f"{name}: {comment}", sealed(entry(**{name: value})), "cache-content")
    after = payloads.ms("2027-01-01")
    group.ignored(
        "notBefore 1 millisecond after notAfter",
        sealed(entry(notBefore=after + 1)),
        "cache-content",
        "OneFlaw Boundary",
    )
    for name, values in {
        "localTesting": [0, "false", None, payloads.ABSENT],
        "leafSubject": [7, None],
        "leafSerial": [7, None],
        "anchorDigests": [7, None, [], digests("root")[:3], [*digests("root")[:3], "00"], payloads.ABSENT],
        "digests": [7, None, [], [digests("leaf")], [digests("leaf"), []], [digests("leaf")] * 3, payloads.ABSENT],
    }.items():
        for value in values:
            shown = "missing" if value is payloads.ABSENT else brief(value)
            group.ignored(f"{name}: {shown}", sealed(entry(**{name: value})), "cache-content")
    group.ignored(
        "the second of two entries is invalid", sealed(entry(), entry(FULL_CHAIN, chain="00")), "cache-content"
    )
    group.ignored("the first of two entries is invalid", sealed(entry(chain="00"), entry(FULL_CHAIN)), "cache-content")
