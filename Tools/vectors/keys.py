"""Keys derived from their names, so that every run has the same ones. They protect nothing."""

import functools
import hashlib

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from . import der, p256

HASHES = {
    "md5": hashes.MD5,
    "sha1": hashes.SHA1,
    "sha224": hashes.SHA224,
    "sha256": hashes.SHA256,
    "sha384": hashes.SHA384,
    "sha512": hashes.SHA512,
}
CURVES = {
    "P-256": (ec.SECP256R1(), 32),
    "P-384": (ec.SECP384R1(), 48),
    "P-521": (ec.SECP521R1(), 66),
    "secp256k1": (ec.SECP256K1(), 32),
    "brainpoolP256r1": (ec.BrainpoolP256R1(), 32),
}
# The hash algorithms of a DigestInfo (RFC 8017 9.2).
DIGEST_INFO_OIDS = {
    "md5": "1.2.840.113549.2.5",
    "sha1": "1.3.14.3.2.26",
    "sha256": "2.16.840.1.101.3.4.2.1",
    "sha384": "2.16.840.1.101.3.4.2.2",
    "sha512": "2.16.840.1.101.3.4.2.3",
}


def stream(name, count):
    """Returns `count` bytes derived from `name` (SHA-256 in counter mode)."""
    blocks = (hashlib.sha256(f"receipt-vectors/{name}/{index}".encode()).digest() for index in range(count // 32 + 1))
    return b"".join(blocks)[:count]


class ECKey:
    """A private key on a named curve."""

    def __init__(self, name, curve="P-256", scalar=None):
        self.curve, self.size = CURVES[curve]
        # 64 bits shorter than the field, so that the scalar is in range on every curve.
        scalar = scalar or int.from_bytes(stream(name, self.size), "big") >> 64 | 1
        self.private = ec.derive_private_key(scalar, self.curve)
        self.public = self.private.public_key()

    def spki(self):
        return self.public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)

    def point(self):
        """Returns the public key as an uncompressed X9.63 point."""
        return self.public.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)

    def sign(self, message, digest="sha256"):
        """Returns a DER signature with the deterministic nonce of RFC 6979."""
        return self.private.sign(message, ec.ECDSA(HASHES[digest](), deterministic_signing=True))

    def sign_raw(self, message, digest="sha256"):
        """Returns the signature in the JOSE form: r and s, each as wide as the field."""
        r, s = decode_dss_signature(self.sign(message, digest))
        return r.to_bytes(self.size, "big") + s.to_bytes(self.size, "big")


class PointKey:
    """A P-256 public key whose private key is unknown."""

    def __init__(self, point):
        self.value = point

    def spki(self):
        algorithm = der.sequence(der.oid("1.2.840.10045.2.1"), der.oid("1.2.840.10045.3.1.7"))
        return der.sequence(algorithm, der.bit_string(self.point()))

    def point(self):
        return p256.encode_point(self.value)


class Ed25519Key:
    """An Ed25519 key, which is the wrong kind of key everywhere in a receipt."""

    def __init__(self, name):
        self.private = ed25519.Ed25519PrivateKey.from_private_bytes(stream(name, 32))

    def spki(self):
        public = self.private.public_key()
        return public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)

    def sign(self, message, digest=None):
        return self.private.sign(message)


class RSAKey:
    """An RSA key of any size, with its own PKCS #1 v1.5 signing, because libraries refuse short keys."""

    def __init__(self, name, bits, exponent=65537):
        self.bits = bits
        self.exponent = exponent
        p, q = (prime(f"{name}/{letter}", bits // 2) for letter in "pq")
        self.modulus = p * q
        assert self.modulus.bit_length() == bits
        self.private = pow(self.exponent, -1, (p - 1) * (q - 1))

    def spki(self):
        algorithm = der.sequence(der.oid("1.2.840.113549.1.1.1"), der.null())
        return der.sequence(
            algorithm, der.bit_string(der.sequence(der.integer(self.modulus), der.integer(self.exponent)))
        )

    def sign(self, message, digest="sha256"):
        algorithm = der.sequence(der.oid(DIGEST_INFO_OIDS[digest]), der.null())
        info = der.sequence(algorithm, der.octet_string(hashlib.new(digest, message).digest()))
        size = self.bits // 8
        padded = b"\x00\x01" + b"\xff" * (size - len(info) - 3) + b"\x00" + info
        return pow(int.from_bytes(padded, "big"), self.private, self.modulus).to_bytes(size, "big")


SMALL_PRIMES = [n for n in range(3, 2000, 2) if all(n % d for d in range(3, int(n**0.5) + 1, 2))]


@functools.cache
def prime(name, bits):
    """Returns the first prime after a number derived from `name`; its two top bits are set, so that n has every bit."""
    candidate = int.from_bytes(stream(name, bits // 8), "big") | 3 << (bits - 2) | 1
    while not is_prime(candidate) or candidate % 65537 == 1:
        candidate += 2
    return candidate


def is_prime(number):
    """The Miller-Rabin test with fixed bases, which suffices for numbers that were not chosen to defeat it."""
    if any(number % small == 0 for small in SMALL_PRIMES):
        return False
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7, 11, 13, 17, 19):
        value = pow(base, odd, number)
        if value in (1, number - 1):
            continue
        for _ in range(twos - 1):
            value = value * value % number
            if value == number - 1:
                break
        else:
            return False
    return True
