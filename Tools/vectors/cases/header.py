"""jws-header.json: the protected header."""

import hashlib
import hmac

from .. import payloads
from ..authority import LEAF_KEY, ROOT, STANDARD
from ..jws import b64url, header, join, json_bytes, sign
from ..keys import ECKey
from ..vectorfile import VectorFile

PAYLOAD = payloads.brief_transaction()
X5C = header()["x5c"]
X5C_TEXT = json_bytes(X5C).decode()


def build():
    file = VectorFile("jws-header.json", "the protected header: JSON, alg, crit, b64, x5c")
    accepted(file)
    algorithms(file)
    critical(file)
    malformed(file)
    depth(file)
    return file


def signed(head, payload=PAYLOAD):
    """Returns a JWS with this header, signed by the standard leaf."""
    return join(head, payload, STANDARD.key)


def accepted(file):
    group = file.jws("Valid headers", [ROOT])
    group.verified("alg and x5c, as the App Store sends", signed({"alg": "ES256", "x5c": X5C}))
    group.verified("x5c before alg", signed({"x5c": X5C, "alg": "ES256"}))
    group.verified("with kid and typ", signed({"kid": "Example_Key", "typ": "JWT", "alg": "ES256", "x5c": X5C}))
    group.verified("with typ JOSE", sign(PAYLOAD, typ="JOSE"))
    group.verified("insignificant white space", signed(f' {{ "alg" : "ES256" ,\n\t"x5c" :\r\n {X5C_TEXT} }} \n'))
    group.verified("alg written with escapes", signed(f'{{"\\u0061lg":"\\u0045S256","x5c":{X5C_TEXT}}}'), flags="Odd")
    group.verified(
        "slashes in x5c escaped", signed(f'{{"alg":"ES256","x5c":{X5C_TEXT}}}'.replace("/", "\\/")), flags="Odd"
    )
    group.verified("an unknown member", sign(PAYLOAD, note={"a": [1, None, True]}), flags="Odd")
    group.verified(
        "alg, x5c and crit of a nested object",
        sign(PAYLOAD, note={"alg": "none", "x5c": [], "crit": ["b64"], "text": "{[}"}),
        flags="Odd",
    )
    group.verified("b64 true, which is the default", sign(PAYLOAD, b64=True), flags="Odd")
    group.verified(
        "x5u, jku and x5t are not followed",
        sign(PAYLOAD, x5u="https://example.com/x", jku="https://example.com/k", x5t="AAAA"),
        flags="Odd Confusion",
    )
    group.verified("cty with an unknown content type", sign(PAYLOAD, cty="example"), flags="Odd")
    key = ECKey("stranger")
    x, y = key.point()[1:33], key.point()[33:]
    jwk = {"kty": "EC", "crv": "P-256", "x": b64url(x), "y": b64url(y)}
    group.refused(
        "a jwk beside the genuine x5c, signed with the key of the jwk",
        join(header(jwk=jwk), PAYLOAD, key),
        "signature-invalid",
        "Confusion Forged",
    )


def algorithms(file):
    group = file.jws("alg must be exactly ES256", [ROOT])
    for comment, value in [
        ("none", "none"),
        ("None", "None"),
        ("NONE", "NONE"),
        ("HS256", "HS256"),
        ("ES384", "ES384"),
        ("ES512", "ES512"),
        ("ES256K", "ES256K"),
        ("RS256", "RS256"),
        ("PS256", "PS256"),
        ("EdDSA", "EdDSA"),
        ("lower case", "es256"),
        ("mixed case", "Es256"),
        ("trailing space", "ES256 "),
        ("leading space", " ES256"),
        ("empty", ""),
        ("a prefix", "ES25"),
        ("with a suffix", "ES2560"),
        ("a Cyrillic lookalike letter", "\u0415S256"),
        ("an array", ["ES256"]),
        ("a number", 256),
        ("null", None),
        ("true", True),
        ("an object", {"name": "ES256"}),
    ]:
        group.refused(f"alg: {comment}", signed({"alg": value, "x5c": X5C}), "algorithm", "OneFlaw Confusion")
    group.refused("alg missing", signed({"x5c": X5C}), "algorithm", "OneFlaw Confusion")
    group.refused(
        "Alg instead of alg",
        signed({"Alg": "ES256", "x5c": X5C}),
        "algorithm",
        "OneFlaw Confusion",
    )
    for comment, head in [
        ("none, and ES256 in a nested object", f'{{"alg":"none","y":{{"alg":"ES256"}},"x5c":{X5C_TEXT}}}'),
        ("HS256, and ES256 in an object before it", f'{{"y":{{"alg":"ES256"}},"alg":"HS256","x5c":{X5C_TEXT}}}'),
        ("only in a nested object", f'{{"y":[{{"alg":"ES256"}}],"x5c":{X5C_TEXT}}}'),
        ("ES2506, with an escape", f'{{"alg":"ES25\\u00306","x5c":{X5C_TEXT}}}'),
        ("none, and a text that looks like alg", f'{{"alg":"none","y":"\\"alg\\":\\"ES256\\"","x5c":{X5C_TEXT}}}'),
    ]:
        group.refused(f"alg: {comment}", signed(head), "algorithm", "OneFlaw Confusion")
    head, body = b64url(json_bytes({"alg": "none", "x5c": X5C})), b64url(json_bytes(PAYLOAD))
    group.refused("alg none with an empty signature", f"{head}.{body}.", "algorithm", "Confusion Hostile")
    group.refused("alg HS256 with the leaf's public key as the secret", hmac_signed(), "algorithm", "Confusion Hostile")


def hmac_signed():
    head, body = b64url(json_bytes({"alg": "HS256", "x5c": X5C})), b64url(json_bytes(PAYLOAD))
    tag = hmac.new(LEAF_KEY.spki(), f"{head}.{body}".encode(), hashlib.sha256).digest()
    return f"{head}.{body}.{b64url(tag)}"


def critical(file):
    group = file.jws("A header with crit, or with b64 other than true, is not supported", [ROOT])
    for comment, value in [
        ("names an unknown member", ["exp"]),
        ("names b64", ["b64"]),
        ("empty", []),
        ("null", None),
        ("a string", "exp"),
        ("false", False),
        ("names alg", ["alg"]),
    ]:
        group.refused(f"crit: {comment}", sign(PAYLOAD, crit=value), "header-unsupported")
    for comment, value in [("false", False), ('the string "true"', "true"), ("null", None), ("1", 1), ("0", 0)]:
        group.refused(f"b64: {comment}", sign(PAYLOAD, b64=value), "header-unsupported")
    group.refused(
        "crit names b64 and b64 is false, as RFC 7797 requires",
        sign(PAYLOAD, b64=False, crit=["b64"]),
        "header-unsupported",
    )
    for member in ('"cri\\u0074":["b64"]', '"b6\\u0034":false'):
        head = f'{{"alg":"ES256",{member},"x5c":{X5C_TEXT}}}'
        group.refused(f"an escape: {member}", signed(head), "header-unsupported")
    for comment, value in [("names b64", ["b64"]), ("empty", []), ("null", None), ("names b64 and exp", ["b64", "exp"])]:
        group.refused(
            f"b64 is true, crit: {comment}", sign(PAYLOAD, b64=True, crit=value), "header-unsupported", "OneFlaw"
        )


def duplicate_code(comment):
    """Returns the code: a duplicate alg is an algorithm failure, any other flaw makes the header unreadable."""
    return "algorithm" if comment.startswith("duplicate alg") else "header-malformed"


def malformed(file):
    group = file.jws("The header must be one JSON object in UTF-8", [ROOT])
    good = f'{{"alg":"ES256","x5c":{X5C_TEXT}}}'
    first, rest = good[:1], good[1:]
    cases = [
        ("a leading byte order mark", b"\xef\xbb\xbf" + good.encode()),
        ("UTF-16 with a byte order mark", ("\ufeff" + good).encode("utf-16-le")),
        ("duplicate alg with the same value", first + '"alg":"ES256",' + rest),
        ("duplicate alg, the first is none", first + '"alg":"none",' + rest),
        ("duplicate alg, the last is none", good[:-1] + ',"alg":"none"}'),
        ("duplicate alg, one written with an escape", first + '"\\u0061lg":"ES256",' + rest),
        ("duplicate x5c", good[:-1] + f',"x5c":{X5C_TEXT}}}'),
        ("duplicate unknown member", good[:-1] + ',"a":1,"a":1}'),
        ("duplicate member inside an unknown member", good[:-1] + ',"a":{"b":1,"b":1}}'),
        ("a second object after the header", good + "{}"),
        ("a trailing letter", good + "x"),
        ("a trailing NUL", good.encode() + b"\0"),
        ("closing brace missing", good[:-1]),
        ("a trailing comma", good[:-1] + ",}"),
        ("single quotes", good.replace('"', "'")),
        ("a comment", first + "/* */" + rest),
        ("a name without quotes", first + "note:1," + rest),
        ("NaN as a value", good[:-1] + ',"a":NaN}'),
        ("bytes that are not UTF-8", good[:-1].encode() + b',"a":"\xff"}'),
        ("overlong UTF-8", good[:-1].encode() + b',"a":"\xc0\xaf"}'),
        ("a lone surrogate escape", good[:-1] + ',"a":"\\ud800"}'),
        ("an unescaped line feed in a string", good[:-1] + ',"a":"\n"}'),
    ]
    for comment, head in cases:
        group.refused(comment, signed(head), duplicate_code(comment))
    for comment, head in [
        ("an array", "[]"),
        ("a string", '"ES256"'),
        ("a number", "256"),
        ("null", "null"),
        ("a space", " "),
        ("an array that contains the header", f"[{good}]"),
    ]:
        group.refused(f"header is {comment}", signed(head), "header-malformed", "OneFlaw Hostile")
    group.refused("x5c missing", signed({"alg": "ES256"}), "header-malformed")
    group.refused("X5C instead of x5c", signed({"alg": "ES256", "X5C": X5C}), "header-malformed")
    for comment, value in [
        ("null", None),
        ("a string", X5C[0]),
        ("an object", {"0": X5C[0]}),
        ("a number", 3),
        ("true", True),
    ]:
        group.refused(f"x5c is {comment}", signed({"alg": "ES256", "x5c": value}), "header-malformed")


def depth(file):
    group = file.jws("The header has at most 32 levels, the object itself included", [ROOT])
    for levels in (2, 32):
        group.verified(f"{levels} levels of arrays", signed(nested(levels)), flags="Boundary")
    group.refused("33 levels of arrays", signed(nested(33)), "header-malformed", "OneFlaw Boundary")
    group.refused("33 levels of objects", signed(nested(33, '{"a":', "}")), "header-malformed", "OneFlaw Boundary")
    group.refused("3,000 levels of arrays", signed(nested(3000)), "header-malformed", "Hostile")


def nested(levels, opening="[", closing="]"):
    """Returns a header with this number of levels in total."""
    inner = levels - 1
    # The innermost object needs a value for its member.
    core = "1" if opening != "[" else ""
    return f'{{"alg":"ES256","x5c":{X5C_TEXT},"note":{opening * inner}{core}{closing * inner}}}'
