"""Compact JWS, assembled by hand so that every byte can be wrong."""

import base64
import json

from .authority import STANDARD


def b64(data):
    return base64.b64encode(data).decode()


def pem(octets, label="PUBLIC KEY"):
    text = b64(octets)
    lines = "\n".join(text[start : start + 64] for start in range(0, len(text), 64))
    return f"-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n"


def b64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def unb64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def json_bytes(value):
    """Returns compact JSON in UTF-8 with the members in the given order."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def payload_bytes(payload):
    """Returns a payload as bytes; strings and bytes are used unchanged, other values become JSON."""
    if isinstance(payload, bytes):
        return payload
    return payload.encode() if isinstance(payload, str) else json_bytes(payload)


def header(chain=STANDARD, x5c=None, **extra):
    """Returns the header; `x5c` replaces the chain's list, and further members follow it."""
    entries = [b64(der) for der in chain.ders()] if x5c is None else x5c
    return {"alg": "ES256", "x5c": entries, **extra}


def join(header_value, payload, key):
    """Returns a JWS with any header (members, string or bytes), signed by `key`."""
    head = b64url(payload_bytes(header_value))
    body = b64url(payload_bytes(payload))
    return f"{head}.{body}.{b64url(key.sign_raw(f'{head}.{body}'.encode()))}"


def sign(payload, chain=STANDARD, x5c=None, **extra):
    """Returns a JWS over `payload` with the header and the key of `chain`."""
    return join(header(chain, x5c, **extra), payload, chain.key)


def with_signature(jws, signature):
    """Returns the JWS with another signature segment."""
    return jws.rsplit(".", 1)[0] + "." + b64url(signature)


def signing_input(jws):
    return jws.rsplit(".", 1)[0].encode()


def signature_of(jws):
    return unb64url(jws.rsplit(".", 1)[1])
