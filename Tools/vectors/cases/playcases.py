"""play.json: Play purchases: shapes, keys, signatures, claims."""

import hashlib
import json

from .. import der, play
from ..authority import LEAF
from ..jws import b64, pem
from ..keys import ECKey, Ed25519Key, RSAKey
from ..play import KEY, PACKAGE, public_key, purchase, shaped, signature, signed
from ..vectorfile import VectorFile, verdict_of

SMALL, OTHER = RSAKey("play-1024", 1024), RSAKey("play-other", 2048)
GOOD = play.text(purchase())


class Purchases:
    """A group of Play tests under these keys."""

    def __init__(self, file, comment, keys=None, policy=None):
        keys = {PACKAGE: public_key()} if keys is None else keys
        self.group = file.group("play", comment, keys=keys, policy=policy or {})

    def verified(self, comment, text, flags="Valid", **overrides):
        self.group.add(comment, flags, **overrides, input=text, verdict="verified", code=None, kind="playPurchase")

    def refused(self, comment, text, code, flags="OneFlaw", **overrides):
        self.group.add(comment, flags, **overrides, input=text, verdict=verdict_of(code), code=code)


def build():
    file = VectorFile("play.json", "Play purchases: shapes, keys, signatures, states, claims")
    shapes(file)
    keys(file)
    which_key(file)
    signatures(file)
    texts(file)
    unreadable(file)
    states(file)
    claim_types(file)
    policies(file)
    return file


def shapes(file):
    group = Purchases(file, "The names that clients give to data and signature")
    group.verified("data and signature", signed(purchase()))
    for names in [
        ("originalJson", "signature"),
        ("purchaseData", "signature"),
        ("INAPP_PURCHASE_DATA", "INAPP_DATA_SIGNATURE"),
        ("dataAndroid", "signatureAndroid"),
        ("receipt", "signature"),
        ("signedData", "signature"),
        ("INAPP_PURCHASE_DATA", "signature"),
    ]:
        group.verified(" and ".join(names), signed(purchase(), names=names))
    group.verified(
        "indented, with other members",
        json.dumps(json.loads(signed(purchase(), platform="android", extra=[1, None])), indent=2) + "\n",
    )
    bad = play.text(purchase(productId="changed"))
    group.verified("data wins over originalJson", signed(purchase(), originalJson=bad), "Odd")
    group.verified(
        "originalJson wins over receipt", shaped(GOOD, names=("originalJson", "signature"), receipt=bad), "Odd"
    )
    for comment, text in [
        ("signature missing", json.dumps({"data": GOOD})),
        ("data missing", json.dumps({"signature": signature(GOOD)})),
        ("data is an object in place of its text", json.dumps({"data": purchase(), "signature": signature(GOOD)})),
        ("signature is null", json.dumps({"data": GOOD, "signature": None})),
        ("the purchase data alone", GOOD),
        ("signature of another name", shaped(GOOD, names=("data", "sig"))),
        ("names in capitals", shaped(GOOD, names=("DATA", "SIGNATURE"))),
        ("an empty object", "{}"),
        ("null", "null"),
        ("empty text", ""),
        ("plain words", "hello"),
        ("the closing brace missing", signed(purchase())[:-1]),
    ]:
        group.refused(comment, text, "format-unrecognized", "Mistake")


def keys(file):
    for bits, key in ((1024, SMALL), (2048, KEY), (3072, RSAKey("play-3072", 3072))):
        group = Purchases(file, f"A key of {bits} bits", {PACKAGE: public_key(key)})
        group.verified("signed by it", signed(purchase(), key))
    good = public_key()
    Purchases(file, "The key as PEM", {PACKAGE: pem(KEY.spki())}).verified("signed by it", signed(purchase()), "Odd")
    pkcs1 = der.sequence(der.integer(KEY.modulus), der.integer(KEY.exponent))
    short = RSAKey("play-512", 512)
    for comment, key, signer in [
        ("512 bits", public_key(short), short),
        ("768 bits", public_key(RSAKey("play-768", 768)), RSAKey("play-768", 768)),
        ("on P-256", b64(ECKey("play").spki()), KEY),
        ("Ed25519", b64(Ed25519Key("play").spki()), KEY),
        ("empty text", "", KEY),
        ("words", "this is no key", KEY),
        ("base64 of words", b64(b"this is no key"), KEY),
        ("base64 cut short", good[:100], KEY),
        ("one octet missing", b64(KEY.spki()[:-1]), KEY),
        ("one octet too many", b64(KEY.spki() + b"\0"), KEY),
        ("a PKCS#1 key in place of a SubjectPublicKeyInfo", b64(pkcs1), KEY),
        ("a certificate", b64(LEAF.der), KEY),
        ("hexadecimal", KEY.spki().hex() + "zz", KEY),
    ]:
        group = Purchases(file, f"The key is {comment}", {PACKAGE: key})
        group.refused(f"key: {comment}", shaped(GOOD, signature(GOOD, signer)), "key-invalid", "Undecided Key")


def which_key(file):
    group = Purchases(file, "Keys by package name", {PACKAGE: public_key(), "com.example.other": public_key(OTHER)})
    other = purchase(packageName="com.example.other")
    group.verified("the first app", signed(purchase()))
    group.verified("the second app", signed(other, OTHER))
    group.refused(
        "the second app's purchase, signed by the first app's key", signed(other), "signature-invalid", "OneFlaw Forged"
    )
    group.refused(
        "the first app's purchase, signed by the second app's key",
        signed(purchase(), OTHER),
        "signature-invalid",
        "OneFlaw Forged",
    )
    for comment, package in [
        ("no key for the package", "com.example.third"),
        ("package name by case", "com.example.App"),
        ("a prefix of a package", "com.example"),
    ]:
        group.refused(comment, signed(purchase(packageName=package)), "key-not-found", "Undecided")
    wrong = Purchases(file, "Another app's key under this package", {PACKAGE: public_key(OTHER)})
    wrong.refused("rightly signed by the app's own key", signed(purchase()), "signature-invalid", "Mistake")
    none = Purchases(file, "No key at all", {})
    none.refused("rightly signed", signed(purchase()), "key-not-found", "Undecided")
    none.refused(
        "the key beside the data is not used",
        signed(purchase(), publicKey=public_key()),
        "key-not-found",
        "Undecided Confusion",
    )
    one = Purchases(file, "A key that arrives beside the data is never trusted")
    one.verified("the genuine key beside", signed(purchase(), publicKey=public_key()))
    one.verified("another key beside a genuine purchase", signed(purchase(), publicKey=public_key(OTHER)), "Odd")
    one.refused(
        "signed by the key beside",
        signed(purchase(), OTHER, publicKey=public_key(OTHER)),
        "signature-invalid",
        "Confusion Forged",
    )


def block(content):
    """The key's private operation on any padded block."""
    return b64(pow(int.from_bytes(content, "big"), KEY.private, KEY.modulus).to_bytes(256, "big"))


def signatures(file):
    group = Purchases(file, "The signature is canonical standard base64 of an RSA PKCS#1 v1.5 signature with SHA-1")
    right = signature(GOOD)
    octets = KEY.sign(GOOD.encode(), "sha1")
    number = next(i for i in range(99) if {"+", "/"} <= set(signature(play.text(purchase(quantity=i)))))
    mixed = play.text(purchase(quantity=number))
    url = signature(mixed).replace("+", "-").replace("/", "_")
    group.verified("holds + and /", shaped(mixed))
    for comment, text, data in [
        ("base64url alphabet", url, mixed),
        ("padding left out", right.rstrip("="), GOOD),
        ("one = left out", right[:-1], GOOD),
        ("one = too many", right + "=", GOOD),
        ("a line feed in the middle", right[:76] + "\n" + right[76:], GOOD),
        ("a line feed behind", right + "\n", GOOD),
        ("a space in front", " " + right, GOOD),
        ("spaces for plus signs", signature(mixed).replace("+", " "), mixed),
        ("a letter that is no base64", "*" + right[1:], GOOD),
        ("URL escapes", right.replace("=", "%3D"), GOOD),
        ("in hexadecimal, an odd count", octets.hex()[:-1], GOOD),
    ]:
        group.refused(comment, shaped(data, text), "encoding")
    digest_info = der.sequence(der.sequence(der.oid("1.3.14.3.2.26"), der.null()), der.octet_string(b"\0" * 20))
    good_info = digest_info[:-20] + hashlib.sha1(GOOD.encode()).digest()
    fill = 256 - len(good_info) - 3
    flipped = bytearray(octets)
    flipped[100] ^= 8
    for comment, text in [
        ("one bit changed", b64(bytes(flipped))),
        ("255 octets", b64(octets[:-1])),
        ("257 octets, zero in front", b64(b"\0" + octets)),
        ("257 octets, zero behind", b64(octets + b"\0")),
        ("one octet", b64(b"\x01")),
        ("all zero", b64(bytes(256))),
        ("one", b64(bytes(255) + b"\x01")),
        ("the modulus", b64(KEY.modulus.to_bytes(256, "big"))),
        ("all ones", b64(b"\xff" * 256)),
        ("of another purchase", signature(play.text(purchase(quantity=2)))),
        ("signature plus modulus", b64((int.from_bytes(octets, "big") + KEY.modulus).to_bytes(257, "big"))),
        ("made with SHA-512", signature(GOOD, digest="sha512")),
        ("made with MD5", signature(GOOD, digest="md5")),
        ("padding of type 2", block(b"\0\2" + b"\xff" * fill + b"\0" + good_info)),
        (
            "short padding, the rest behind the digest",
            block(b"\0\1" + b"\xff" * 8 + b"\0" + good_info + b"\xff" * (fill - 8)),
        ),
        ("padding with another octet", block(b"\0\1" + b"\xff" * (fill - 1) + b"\xfe\0" + good_info)),
        ("no zero before the digest", block(b"\0\1" + b"\xff" * (fill + 1) + good_info)),
        ("of the digest without its name", block(b"\0\1" + b"\xff" * (fill + 15) + b"\0" + good_info[-20:])),
        ("of a digest of zeros", block(b"\0\1" + b"\xff" * fill + b"\0" + digest_info)),
    ]:
        group.refused(comment, shaped(GOOD, text), "signature-invalid")


def texts(file):
    group = Purchases(file, "The signature covers the data's text exactly as the store returned it")
    for comment, text in [
        ("a line feed behind, signed with it", GOOD + "\n"),
        ("indented, signed so", json.dumps(purchase(), indent=4)),
        ("spaces in front, signed so", "  " + GOOD),
        ("CR LF between members, signed so", GOOD.replace(",", ",\r\n")),
        ("slashes escaped, signed so", play.text(purchase(developerPayload="a/b")).replace("/", "\\/")),
        ("letters beyond ASCII, signed so", play.text(purchase(developerPayload="caf\u00e9 \U0001f600"))),
        ("letters beyond ASCII by escapes, signed so", json.dumps(purchase(developerPayload="caf\u00e9 \U0001f600"))),
    ]:
        group.verified(comment, signed(text))
    accent = play.text(purchase(developerPayload="caf\u00e9"))
    for comment, sent, was in [
        ("final line feed lost", GOOD, GOOD + "\n"),
        ("a line feed added", GOOD + "\n", GOOD),
        ("a space added", GOOD + " ", GOOD),
        ("encoded again with spaces", json.dumps(purchase()), GOOD),
        ("encoded again with sorted members", json.dumps(purchase(), sort_keys=True, separators=(",", ":")), GOOD),
        ("encoded again without indentation", GOOD, json.dumps(purchase(), indent=4)),
        ("letters encoded again as escapes", json.dumps(json.loads(accent), separators=(",", ":")), accent),
        ("accent decomposed", accent.replace("\u00e9", "e\u0301"), accent),
        ("CR LF made LF", GOOD.replace(",", ",\n"), GOOD.replace(",", ",\r\n")),
        ("purchaseState changed", play.text(purchase(purchaseState=0)), play.text(purchase(purchaseState=1))),
        ("product changed", play.text(purchase(productId="premium_yearly")), GOOD),
        ("a member added", GOOD[:-1] + ',"a":1}', GOOD),
        ("a byte order mark added", "\ufeff" + GOOD, GOOD),
    ]:
        group.refused(comment, shaped(sent, signature(was)), "signature-invalid", "OneFlaw Mistake")


def unreadable(file):
    group = Purchases(file, "Data that is rightly signed and no JSON object; the only key is tried")
    for comment, text in [
        ("words", "hello"),
        ("a closing brace missing", GOOD[:-1]),
        ("a letter behind", GOOD + "x"),
        ("packageName twice", GOOD[:-1] + f',"packageName":"{PACKAGE}"}}'),
        ("purchaseState twice", GOOD[:-1] + ',"purchaseState":1}'),
        ("an unknown member twice", GOOD[:-1] + ',"a":1,"a":2}'),
        ("a lone surrogate", GOOD[:-1] + ',"a":"\\ud800"}'),
        ("NUL by an escape", GOOD[:-1] + ',"a":"\\u0000"}'),
        ("NaN", GOOD[:-1] + ',"a":NaN}'),
        ("an integer over Int64", GOOD[:-1] + ',"a":9223372036854775808}'),
        ("a trailing comma", GOOD[:-1] + ",}"),
        ("65 levels", GOOD[:-1] + ',"a":' + "[" * 64 + "]" * 64 + "}"),
        ("a byte order mark, signed so", "\ufeff" + GOOD),
        ("single quotes", GOOD.replace('"', "'")),
    ]:
        group.refused(comment, signed(text), "payload-malformed")
    group.verified("64 levels", signed(GOOD[:-1] + ',"a":' + "[" * 63 + "]" * 63 + "}"), "Boundary")
    group.refused("words, signature of something else", shaped("hello", signature(GOOD)), "signature-invalid")
    for comment, text in [("an array", f"[{GOOD}]"), ("null", "null"), ("a text", '"hello"'), ("a number", "1")]:
        group.refused(comment, signed(text), "payload-not-an-object")
    several = Purchases(
        file,
        "The same with two keys: none can be chosen",
        {PACKAGE: public_key(), "com.example.other": public_key(OTHER)},
    )
    several.refused("words, signed by the first key", signed("hello"), "payload-malformed")


def states(file):
    group = Purchases(file, "Only purchaseState 0 is a purchase")
    group.verified("0", signed(purchase(purchaseState=0)))
    group.refused("1", signed(purchase(purchaseState=1)), "purchase-cancelled")
    group.refused("2", signed(purchase(purchaseState=2)), "purchase-pending")
    for state in (3, 4, 7, -1, 256, 2147483647):
        group.refused(str(state), signed(purchase(purchaseState=state)), "purchase-state-unknown")
    group.refused("absent", signed(purchase(purchaseState=None)), "purchase-state-unknown")


def claim_types(file):
    group = Purchases(file, "Known members of the wrong type, and members that are fine")
    for name, values in {
        "orderId": [1],
        "productId": [7, ["premium_monthly"]],
        "productIds": ["premium_monthly", [7], {}],
        "purchaseTime": ["1759320000123", True],
        "purchaseState": ["0", False, []],
        "purchaseToken": [1],
        "quantity": ["1", 1.5, 2147483648],
        "acknowledged": ["true", 1],
        "autoRenewing": [0, "false"],
        "developerPayload": [1, {}],
        "obfuscatedAccountId": [1],
        "obfuscatedProfileId": [[]],
    }.items():
        for value in values:
            group.refused(f"{name}: {json.dumps(value)}", signed(purchase(**{name: value})), "claim-type")
    for comment, changes in [
        ("a test purchase has no orderId", {"orderId": None}),
        ("productIds in place of productId", {"productId": None, "productIds": ["a", "b"]}),
        ("unknown members", {"a": 1, "b": {"c": []}}),
        ("quantity absent", {"quantity": None}),
        ("texts of every kind", {"developerPayload": "", "obfuscatedAccountId": "a", "obfuscatedProfileId": "b"}),
    ]:
        group.verified(comment, signed(purchase(**changes)), "Odd")
    nulls = GOOD[:-1] + ',"developerPayload":null,"obfuscatedAccountId":null}'
    group.verified("null members", signed(nulls), "Odd")


def policies(file):
    app, other = {"bundleId": PACKAGE}, {"bundleId": "com.example.other"}
    group = Purchases(file, "What the caller asks for")
    plain = signed(purchase())
    several = signed(purchase(productId=None, productIds=["premium_monthly"]))
    group.verified("the package", plain, policy={"apps": [app]})
    group.verified("one of several packages", plain, policy={"apps": [other, app]})
    group.refused("another package", plain, "bundle-id-mismatch", policy={"apps": [other]})
    group.refused(
        "the package by case", plain, "bundle-id-mismatch", policy={"apps": [{"bundleId": "com.example.App"}]}
    )
    group.verified("the product", plain, policy={"productIds": ["coins", "premium_monthly"]})
    group.verified("the product, in productIds", several, policy={"productIds": ["premium_monthly"]})
    group.refused("another product", plain, "product-id-mismatch", policy={"productIds": ["coins"]})
    group.refused("another product, in productIds", several, "product-id-mismatch", policy={"productIds": ["coins"]})
    group.refused("the product by case", plain, "product-id-mismatch", policy={"productIds": ["PREMIUM_MONTHLY"]})
    group.verified("the kind", plain, policy={"kinds": ["playPurchase"]})
    group.verified("strict with the package", plain, policy={"apps": [app], "strict": True})
    group.refused("strict with nothing asked for", plain, "unchecked-claim", policy={"strict": True})
    group.refused(
        "strict, a pending purchase says its state",
        signed(purchase(purchaseState=2)),
        "purchase-pending",
        policy={"apps": [app], "strict": True},
    )
