"""es256.json: ES256 with raw r || s, in the style of Wycheproof: key forms and corner cases of the arithmetic."""

import hashlib

from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from .. import der, p256
from ..authority import LEAF, LEAF_KEY, make_leaf
from ..jws import b64, pem
from ..keys import ECKey, Ed25519Key, PointKey, RSAKey, stream
from ..p256 import N, P, encode_signature
from ..vectorfile import VectorFile

MESSAGE = b"header.payload"
KEY = ECKey("es256")
GOOD = KEY.sign_raw(MESSAGE)
R, S = int.from_bytes(GOOD[:32], "big"), int.from_bytes(GOOD[32:], "big")


class Signatures:
    """A group of signatures under one key."""

    def __init__(self, file, comment, value, form="spki-der", key_valid=True):
        fields = {"publicKey": {"form": form, "value": value if form == "spki-pem" else b64(value)}}
        if not key_valid:
            fields["keyValid"] = False
        self.group = file.group("es256", comment, **fields)

    def add(self, comment, signature, valid, message=MESSAGE, flags=None):
        flags = flags or ("Valid" if valid else "OneFlaw")
        self.group.add(comment, flags, message=b64(message), signature=b64(signature), valid=valid)


def build():
    file = VectorFile("es256.json", "ES256 with raw r and s: key forms, ranges, corner cases of the arithmetic")
    forms(file)
    messages(file)
    shapes(file)
    ranges(file)
    flips(file)
    constructed(file)
    coincidences(file)
    special_keys(file)
    refused_keys(file)
    return file


def digest(message):
    return int.from_bytes(hashlib.sha256(message).digest(), "big")


def forms(file):
    certificate = make_leaf(key=KEY).der
    for form, value in [
        ("spki-der", KEY.spki()),
        ("spki-pem", pem(KEY.spki())),
        ("x963", KEY.point()),
        ("certificate-der", certificate),
    ]:
        group = Signatures(file, f"The same key as {form}", value, form)
        group.add("as signed", GOOD, True)
        group.add("s replaced by n - s", encode_signature(R, N - S), True, flags="Malleable")
        group.add("a different message", GOOD, False, b"header.payloae")
        group.add("signature by a different key", LEAF_KEY.sign_raw(MESSAGE), False, flags="Forged")


def messages(file):
    group = Signatures(file, "Messages of many lengths", KEY.spki())
    for size in (0, 1, 55, 56, 63, 64, 65, 119, 120, 1000):
        message = stream(f"message {size}", size)
        group.add(f"length {size}", KEY.sign_raw(message), True, message)
    group.add("a zero byte in the message", KEY.sign_raw(b"a\0b"), True, b"a\0b")
    group.add("the message cut at its zero byte", KEY.sign_raw(b"a\0b"), False, b"a")
    group.add("a line feed added to the message", GOOD, False, MESSAGE + b"\n")
    group.add("signature of the empty message", KEY.sign_raw(b""), False)
    for name in ("sha1", "sha224", "sha384", "sha512"):
        group.add(f"signed with {name}", KEY.sign_raw(MESSAGE, name), False)
    hashed = hashlib.sha256(MESSAGE).digest()
    group.add("signed over the message's digest", KEY.sign_raw(hashed), False)
    group.add("the digest as the message", GOOD, False, hashed)


def shapes(file):
    group = Signatures(file, "The signature must be 64 bytes, r and s", KEY.spki())
    der_form = encode_dss_signature(R, S)
    for size in (0, 1, 31, 32, 33, 62, 63):
        group.add(f"cut to length {size}", GOOD[:size], False)
    for comment, signature in [
        ("65 bytes, a leading zero", b"\0" + GOOD),
        ("65 bytes, a trailing zero", GOOD + b"\0"),
        ("66 bytes, a leading zero in each half", b"\0" + GOOD[:32] + b"\0" + GOOD[32:]),
        ("96 bytes, 16 leading zeros in each half", bytes(16) + GOOD[:32] + bytes(16) + GOOD[32:]),
        ("the signature twice", GOOD + GOOD),
        ("DER", der_form),
        ("DER cut to 64 bytes", der_form[:64]),
        ("r and s exchanged", GOOD[32:] + GOOD[:32]),
        ("r in both halves", GOOD[:32] * 2),
        ("s in both halves", GOOD[32:] * 2),
        ("r and s little-endian", GOOD[:32][::-1] + GOOD[32:][::-1]),
        ("all bytes reversed", GOOD[::-1]),
        ("64 zero bytes", bytes(64)),
        ("64 bytes 0xFF", b"\xff" * 64),
        ("all bits inverted", bytes(255 - octet for octet in GOOD)),
    ]:
        group.add(comment, signature, False)


def ranges(file):
    group = Signatures(file, "r and s at the ends of their range, 1 to n - 1", KEY.spki())
    values = {"0": 0, "1": 1, "n - 1": N - 1, "n": N, "n + 1": N + 1, "p": P, "2^256 - 1": (1 << 256) - 1}
    for name, value in values.items():
        group.add(f"r is {name}", encode_signature(value, S), False, flags="OneFlaw Edge")
        group.add(f"s is {name}", encode_signature(R, value), False, flags="OneFlaw Edge")
        for other, second in values.items():
            group.add(f"r is {name}, s is {other}", encode_signature(value, second), False, flags="Edge")
    for comment, r, s in [
        ("r replaced by n - r", N - R, S),
        ("r replaced by n - r and s by n - s", N - R, N - S),
        ("r + 1", R + 1, S),
        ("s - 1", R, S - 1),
        ("s replaced by its inverse", R, pow(S, -1, N)),
        ("r replaced by p - r", P - R, S),
    ]:
        group.add(comment, encode_signature(r, s), False, flags="Edge")


def flips(file):
    group = Signatures(file, "One bit of the signature changed", KEY.spki())
    for position in range(64):
        changed = bytearray(GOOD)
        changed[position] ^= 1 << (position * 5 % 8)
        group.add(f"one bit of byte {position}", bytes(changed), False, flags="OneFlaw Damaged")


def fitting(r_x, s, message=MESSAGE):
    """Returns a key under which this s, with the point of this x as R, is a signature over `message`."""
    point = p256.key_for(p256.lift_x(r_x), r_x % N, s, digest(message))
    return PointKey(point).spki()


def constructed(file):
    """Adds signatures that no signer would produce, each with a key computed from the signature."""
    some = int.from_bytes(stream("some s", 32), "big") >> 1
    small, beyond = p256.first_x_from(1), p256.first_x_from(N)
    plain = Signatures(file, "r is very small and equal to the x of R", fitting(small, some))
    plain.add("as constructed", encode_signature(small, some), True, flags="Edge")
    plain.add("s replaced by n - s", encode_signature(small, N - some), True, flags="Edge Malleable")
    plain.add("r + n, congruent but out of range", encode_signature(small + N, some), False, flags="OneFlaw Edge")
    wrapped = Signatures(file, "The x of R is greater than n, so r is x - n", fitting(beyond, some))
    wrapped.add("r is x - n", encode_signature(beyond - N, some), True, flags="Edge")
    wrapped.add("r is x, out of range", encode_signature(beyond, some), False, flags="OneFlaw Edge")
    wrapped.add("r is x - n + 1", encode_signature(beyond - N + 1, some), False, flags="Edge")
    last = next(x for x in range(P - 1, N, -1) if p256.lift_x(x))
    edge = Signatures(file, "The x of R is the largest on the curve", fitting(last, some))
    edge.add("r is x - n", encode_signature(last - N, some), True, flags="Edge")
    ordinary = p256.multiply(123456789)[0]
    for name, s in [
        ("1", 1),
        ("2", 2),
        ("n - 1", N - 1),
        ("(n - 1) / 2", (N - 1) // 2),
        ("(n + 1) / 2", (N + 1) // 2),
        ("2^128", 1 << 128),
        ("2^255", 1 << 255),
    ]:
        group = Signatures(file, f"s is {name}", fitting(ordinary, s))
        group.add("as constructed", encode_signature(ordinary, s), True, flags="Edge")
        if s + N < 1 << 256:
            group.add(
                "s + n, congruent but out of range",
                encode_signature(ordinary, s + N),
                False,
                flags="OneFlaw Edge",
            )
    zeros = Signatures(file, "r and s both have leading zero bytes", fitting(p256.first_x_from(1 << 200), 1 << 190))
    zeros.add("as constructed", encode_signature(p256.first_x_from(1 << 200), 1 << 190), True, flags="Edge")


def coincidences(file):
    """Adds signatures for which u1 G equals u2 Q or its opposite: a doubling, or the point at infinity."""
    e, k = digest(MESSAGE), int.from_bytes(stream("nonce", 32), "big") % N
    r = p256.multiply(k)[0] % N
    double = ECKey("", scalar=e * pow(r, -1, N) % N)
    s = 2 * e * pow(k, -1, N) % N
    group = Signatures(file, "u1 G equals u2 Q: the sum is a doubling", double.spki())
    group.add("as constructed", encode_signature(r, s), True, flags="Edge")
    group.add("s + 1", encode_signature(r, s + 1), False, flags="Edge")
    opposite = ECKey("", scalar=-e * pow(r, -1, N) % N)
    for name, value in (("any", s), ("1", 1), ("the digest", e % N)):
        group = Signatures(file, f"u1 G equals - u2 Q: the sum is the point at infinity, s is {name}", opposite.spki())
        group.add("as constructed", encode_signature(r, value), False, flags="OneFlaw Edge")


def special_keys(file):
    """Adds keys with a special private key or special coordinates."""
    ordinary = {"1": 1, "2": 2, "3": 3, "n - 1": N - 1, "n - 2": N - 2, "2^128": 1 << 128, "(n - 1) / 2": (N - 1) // 2}
    for name, scalar in ordinary.items():
        key = ECKey("", scalar=scalar)
        group = Signatures(file, f"The private key is {name}", key.spki())
        group.add("as signed", key.sign_raw(MESSAGE), True, flags="Edge")
        group.add("a different message", key.sign_raw(MESSAGE), False, b"other", flags="Edge")
    for name, offset in (("x", 1), ("y", 33)):
        key = next(key for key in (ECKey(f"zero {number}") for number in range(5000)) if key.point()[offset] == 0)
        for form, value in (("spki-der", key.spki()), ("x963", key.point())):
            group = Signatures(file, f"The key's {name} begins with a zero byte, as {form}", value, form)
            group.add("as signed", key.sign_raw(MESSAGE), True, flags="Edge")


def refused_keys(file):
    point, spki = KEY.point(), KEY.spki()
    x, y = int.from_bytes(point[1:33], "big"), int.from_bytes(point[33:], "big")
    algorithm = der.sequence(der.oid("1.2.840.10045.2.1"), der.oid("1.2.840.10045.3.1.7"))

    def raw(first, second):
        return b"\x04" + first.to_bytes(32, "big") + second.to_bytes(32, "big")

    off_curve = [
        ("y + 1", raw(x, y + 1)),
        ("x + 1", raw(x + 1, y)),
        ("x and y exchanged", raw(y, x)),
        ("x and y zero", raw(0, 0)),
        ("x is p", raw(P, y)),
        ("y is p", raw(x, P)),
        ("x and y all ones", b"\x04" + b"\xff" * 64),
        ("(1, 1)", raw(1, 1)),
    ]
    small_x = p256.first_x_from(0)
    off_curve.append(("x + p instead of x", raw(small_x + P, p256.lift_x(small_x)[1])))
    for comment, octets in off_curve:
        refuse(file, f"invalid point: {comment}, as x963", octets, "x963")
        refuse(file, f"invalid point: {comment}, as spki-der", der.sequence(algorithm, der.bit_string(octets)))
    for comment, octets in [
        ("empty", b""),
        ("the point at infinity", b"\0"),
        ("64 bytes, the first missing", point[1:]),
        ("64 bytes, the last missing", point[:-1]),
        ("66 bytes, a trailing zero", point + b"\0"),
        ("a first byte of 5", b"\x05" + point[1:]),
        ("a first byte of 0", b"\0" + point[1:]),
        ("a SubjectPublicKeyInfo", spki),
    ]:
        refuse(file, f"{comment}, as x963", octets, "x963")
    others = {curve: ECKey("other curve", curve) for curve in ("P-384", "P-521", "secp256k1", "brainpoolP256r1")}
    keys = {**others, "RSA 2048": RSAKey("rsa-2048", 2048), "Ed25519": Ed25519Key("es256")}
    for name, key in keys.items():
        refuse(file, f"wrong kind of key: {name}, as spki-der", key.spki())
        refuse(file, f"wrong kind of key: {name}, as spki-pem", pem(key.spki()), "spki-pem")
        refuse(file, f"wrong kind of key: {name}, as certificate-der", make_leaf(key=key).der, "certificate-der")
    for name in ("P-384", "secp256k1"):
        refuse(file, f"point on another curve: {name}, as x963", others[name].point(), "x963")
    relabelled = der.sequence(algorithm, der.bit_string(others["secp256k1"].point()))
    refuse(file, "a point of secp256k1 with the OID of P-256, as spki-der", relabelled)
    for comment, octets in [
        ("empty", b""),
        ("plain text", b"hello"),
        ("last byte missing", spki[:-1]),
        ("a trailing byte", spki + b"\0"),
        ("the point at infinity", der.sequence(algorithm, der.bit_string(b"\0"))),
        ("an empty bit string", der.sequence(algorithm, der.bit_string(b""))),
        ("a certificate", LEAF.der),
        ("the x963 form", point),
    ]:
        refuse(file, f"{comment}, as spki-der", octets)
    for comment, text in [
        ("empty", ""),
        ("no PEM boundaries", b64(spki)),
        ("a different label", pem(spki, "EXAMPLE")),
        ("PEM boundaries around plain text", pem(b"hello")),
        ("end boundary missing", pem(spki).split("-----END")[0]),
    ]:
        refuse(file, f"{comment}, as spki-pem", text, "spki-pem")
    for comment, octets in [
        ("empty", b""),
        ("last byte missing", LEAF.der[:-1]),
        ("a trailing byte", LEAF.der + b"\0"),
        ("a key", spki),
    ]:
        refuse(file, f"{comment}, as certificate-der", octets, "certificate-der")


def refuse(file, comment, value, form="spki-der"):
    Signatures(file, f"Unusable key: {comment}", value, form, key_valid=False).add(
        "any signature", GOOD, False, flags="Key"
    )
