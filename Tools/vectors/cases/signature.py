"""jws-signature.json: the signature segment, under a valid header and chain."""

from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from .. import p256, payloads
from ..authority import INTERMEDIATE_KEY, LEAF_KEY, ROOT, chain, make_leaf
from ..jws import b64url, header, join, json_bytes, sign, signature_of, signing_input, with_signature
from ..keys import ECKey
from ..vectorfile import VectorFile

N = p256.N
PAYLOAD = payloads.brief_transaction()
GOOD = sign(PAYLOAD)
SIGNATURE = signature_of(GOOD)
R, S = int.from_bytes(SIGNATURE[:32], "big"), int.from_bytes(SIGNATURE[32:], "big")


def build():
    file = VectorFile("jws-signature.json", "the signature: length, range, forgery, parts exchanged")
    shapes(file)
    ranges(file)
    flips(file)
    exchanged(file)
    return file


def shapes(file):
    group = file.jws("The signature must be 64 bytes, r and s", [ROOT])
    group.verified("as signed", GOOD)
    der = encode_dss_signature(R, S)
    padded = [bytes(size) + SIGNATURE for size in (1, 32)] + [SIGNATURE + bytes(size) for size in (1, 32)]
    for comment, signature in [
        ("empty", b""),
        ("one byte", b"\x01"),
        ("32 bytes, only r", SIGNATURE[:32]),
        ("63 bytes, the last missing", SIGNATURE[:-1]),
        ("63 bytes, the first missing", SIGNATURE[1:]),
        ("65 bytes, a leading zero", padded[0]),
        ("96 bytes, leading zeros", padded[1]),
        ("65 bytes, a trailing zero", padded[2]),
        ("96 bytes, trailing zeros", padded[3]),
        ("the signature twice", SIGNATURE * 2),
        ("DER-encoded", der),
        ("65 bytes, a zero between r and s", SIGNATURE[:32] + b"\0" + SIGNATURE[32:]),
        ("96 bytes, r and s as wide as for ES384", bytes(16) + SIGNATURE[:32] + bytes(16) + SIGNATURE[32:]),
        ("the base64url text, encoded a second time", b64url(SIGNATURE).encode()),
        ("the hexadecimal digits", SIGNATURE.hex().encode()),
        ("4096 zero bytes", bytes(4096)),
    ]:
        group.refused(comment, with_signature(GOOD, signature), "signature-malformed")


def ranges(file):
    group = file.jws("r and s must be between 1 and n - 1", [ROOT])
    high = p256.encode_signature(R, N - S)
    group.verified("s replaced by n - s", with_signature(GOOD, high), flags="Malleable")
    low_high = [signature_of(sign({**PAYLOAD, "note": number})) for number in range(12)]
    for wanted, name in ((True, "upper"), (False, "lower")):
        number = next(i for i, made in enumerate(low_high) if (int.from_bytes(made[32:], "big") > N // 2) == wanted)
        group.verified(f"s in the {name} half, as signed", sign({**PAYLOAD, "note": number}))
    top = (1 << 256) - 1
    for comment, r, s in [
        ("r and s are 0", 0, 0),
        ("r is 0", 0, S),
        ("s is 0", R, 0),
        ("r is n", N, S),
        ("s is n", R, N),
        ("r and s are n", N, N),
        ("r is n + 1", N + 1, S),
        ("s is n + 1", R, N + 1),
        ("r and s are 2^256 - 1", top, top),
        ("r is 2^256 - 1", top, S),
        ("s is 2^256 - 1", R, top),
        ("r is the field prime", p256.P, S),
        ("r is 0 and s is 1", 0, 1),
        ("r is 1 and s is 0", 1, 0),
    ]:
        group.refused(comment, with_signature(GOOD, p256.encode_signature(r, s)), "signature-malformed", "OneFlaw Edge")
    for comment, r, s in [
        ("r and s are 1", 1, 1),
        ("r is 1", 1, S),
        ("s is 1", R, 1),
        ("r and s are n - 1", N - 1, N - 1),
        ("r is n - 1", N - 1, S),
        ("s is n - 1", R, N - 1),
        ("r and s exchanged", S, R),
        ("r replaced by n - r", N - R, S),
        ("r in both halves", R, R),
        ("s in both halves", S, S),
        ("s + 1", R, S + 1),
        ("r + 1", R + 1, S),
    ]:
        group.refused(comment, with_signature(GOOD, p256.encode_signature(r, s)), "signature-invalid", "OneFlaw Edge")
    reverse = SIGNATURE[:32][::-1] + SIGNATURE[32:][::-1]
    group.refused("r and s little-endian", with_signature(GOOD, reverse), "signature-invalid", "OneFlaw Mistake")


def flips(file):
    group = file.jws("One bit changed", [ROOT])
    for position in range(0, 64, 7):
        changed = bytearray(SIGNATURE)
        changed[position] ^= 1 << (position % 8)
        group.refused(
            f"one bit of byte {position} of the signature",
            with_signature(GOOD, bytes(changed)),
            "signature-invalid",
            "OneFlaw Damaged",
        )
    body = json_bytes(PAYLOAD)
    for position in (body.index(b"200000000000042"), body.index(b"Production"), len(body) // 2, len(body) - 2):
        changed = bytearray(body)
        changed[position] ^= 1
        head, _, signature = GOOD.split(".")
        group.refused(
            f"one bit of byte {position} of the payload",
            f"{head}.{b64url(bytes(changed))}.{signature}",
            "signature-invalid",
            "OneFlaw Damaged",
        )


def exchanged(file):
    group = file.jws("Parts of genuine items combined, and other signers", [ROOT])
    second = sign(payloads.brief_transaction(transactionId="200000000000043", price=0))
    head, body, signature = GOOD.split(".")
    other_leaf = chain(make_leaf(key=ECKey("second leaf")))
    other_item = sign(PAYLOAD, other_leaf)
    group.verified("a second item by the same signer", second)
    group.verified("an item signed by a second leaf", other_item)
    spaced = b64url(json_bytes(PAYLOAD).replace(b'":', b'": '))
    ordered = b64url(json_bytes(dict(sorted(PAYLOAD.items()))))
    noted = b64url(json_bytes(header(note="x")))
    for comment, jws in [
        ("the payload of a different item", f"{head}.{second.split('.')[1]}.{signature}"),
        ("the signature of a different item", f"{head}.{body}.{second.split('.')[2]}"),
        ("the header of a different leaf", f"{other_item.split('.')[0]}.{body}.{signature}"),
        ("the signature of a different leaf over the same payload", f"{head}.{body}.{other_item.split('.')[2]}"),
        ("the payload serialized again with spaces", f"{head}.{spaced}.{signature}"),
        ("the payload serialized again with sorted members", f"{head}.{ordered}.{signature}"),
        ("the price changed to 0", f"{head}.{b64url(json_bytes({**PAYLOAD, 'price': 0}))}.{signature}"),
        ("a member added to the payload", f"{head}.{b64url(json_bytes({**PAYLOAD, 'note': 1}))}.{signature}"),
        ("a member added to the header", f"{noted}.{body}.{signature}"),
        ("the payload replaced by plain text", f"{head}.{b64url(b'hello')}.{signature}"),
        ("the payload replaced by an empty object", f"{head}.{b64url(b'{}')}.{signature}"),
        ("the payload cut to 120 bytes", f"{head}.{b64url(json_bytes(PAYLOAD)[:120])}.{signature}"),
    ]:
        group.refused(comment, jws, "signature-invalid", "OneFlaw Forged")
    other_signers(group)


def other_signers(group):
    """Adds genuine headers and payloads with signatures by other keys, over other bytes or with other hashes."""
    head, body, _ = GOOD.split(".")
    group.refused(
        "signed with a key that is not in the chain",
        join(header(), PAYLOAD, ECKey("stranger")),
        "signature-invalid",
        "OneFlaw Forged",
    )
    over = {
        "only the payload segment": body.encode(),
        "the decoded payload": json_bytes(PAYLOAD),
        "header and payload segments without the dot": (head + body).encode(),
        "the decoded header, a dot and the decoded payload": json_bytes(header()) + b"." + json_bytes(PAYLOAD),
        "the signing input with a trailing line feed": signing_input(GOOD) + b"\n",
        "the empty string": b"",
    }
    for comment, message in over.items():
        group.refused(f"signed over {comment}", with_signature(GOOD, LEAF_KEY.sign_raw(message)), "signature-invalid")
    for digest in ("sha1", "sha384", "sha512"):
        group.refused(
            f"signed with {digest} instead of SHA-256",
            with_signature(GOOD, LEAF_KEY.sign_raw(signing_input(GOOD), digest)),
            "signature-invalid",
        )
    group.refused(
        "signed with the intermediate's key",
        with_signature(GOOD, INTERMEDIATE_KEY.sign_raw(signing_input(GOOD))),
        "signature-invalid",
        "OneFlaw Forged",
    )
    wide = ECKey("stranger", "P-384").sign_raw(signing_input(GOOD), "sha384")
    group.refused("an ES384 signature", with_signature(GOOD, wide), "signature-malformed", "Confusion")
