"""play.json: Play purchases: forms, keys, signatures, states and claims."""

import hashlib
import json

from .. import der, play
from ..authority import LEAF, OTHER_CHAIN, ROOT
from ..jws import b64, pem, sign
from ..keys import ECKey, Ed25519Key, RSAKey
from ..play import KEY, PACKAGE, public_key, purchase, shaped, signature, signed
from ..payloads import brief_transaction
from ..vectorfile import CLOCK, VectorFile, verdict_of

SMALL, OTHER = RSAKey("play-1024", 1024), RSAKey("play-other", 2048)
GOOD = play.text(purchase())


class PublicRSA(RSAKey):
    """An RSA public key with any numbers in it, and no private key."""

    def __init__(self, modulus, exponent=65537):
        self.bits, self.modulus, self.exponent = modulus.bit_length(), modulus, exponent


class Identity(RSAKey):
    """Signs for the exponent 1, under which each padded digest is its own signature."""

    def __init__(self):
        self.bits, self.modulus, self.exponent, self.private = KEY.bits, KEY.modulus, 1, 1


IDENTITY = Identity()


class Purchases:
    """A group of Play tests under these keys."""

    def __init__(self, file, comment, keys=None, policy=None, **fields):
        keys = {PACKAGE: public_key()} if keys is None else keys
        self.group = file.group("play", comment, keys=keys, policy=policy or {}, **fields)

    def verified(self, comment, text, flags="Valid", **overrides):
        self.group.add(comment, flags, **overrides, input=text, verdict="verified", code=None, kind="playPurchase")

    def refused(self, comment, text, code, flags="OneFlaw", **overrides):
        self.group.add(comment, flags, **overrides, input=text, verdict=verdict_of(code), code=code)


def build():
    file = VectorFile("play.json", "Play purchases: forms, keys, signatures, states, claims")
    shapes(file)
    keys(file)
    which_key(file)
    signatures(file)
    texts(file)
    unreadable(file)
    states(file)
    claim_types(file)
    policies(file)
    together(file)
    return file


def shapes(file):
    group = Purchases(file, "The names that clients use for data and signature")
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
    group.verified("data takes precedence over originalJson", signed(purchase(), originalJson=bad), "Odd")
    group.verified(
        "originalJson takes precedence over receipt",
        shaped(GOOD, names=("originalJson", "signature"), receipt=bad),
        "Odd",
    )
    for comment, names in [
        ("signature under an unknown name", ("data", "sig")),
        ("names in upper case", ("DATA", "SIGNATURE")),
        ("unknown names", ("a", "b")),
    ]:
        group.verified(comment, shaped(GOOD, names=names), "Odd")
    group.verified("elements of an array", json.dumps([GOOD, signature(GOOD)]), "Odd")
    for comment, text in [
        ("data missing", json.dumps({"signature": signature(GOOD)})),
        ("an empty object", "{}"),
        ("null", "null"),
        ("plain text", "hello"),
        ("closing brace missing", signed(purchase())[:-1]),
    ]:
        group.refused(comment, text, "format-unrecognized", "Mistake")
    for comment, text in [
        ("data is an object instead of a string", json.dumps({"data": purchase(), "signature": signature(GOOD)})),
        ("only the purchase data", GOOD),
        ("signature missing", json.dumps({"data": GOOD})),
        ("signature is null", json.dumps({"data": GOOD, "signature": None})),
        ("the members of the data beside the signature", json.dumps({**purchase(), "signature": signature(GOOD)})),
        ("data and signature are empty", json.dumps({**purchase(), "originalJson": "", "signature": ""})),
    ]:
        group.refused(comment, text, "not-a-receipt", "Mistake")
    group.refused("empty input", "", "empty", "Mistake")


def keys(file):
    for bits, key in ((1024, SMALL), (2048, KEY), (3072, RSAKey("play-3072", 3072))):
        group = Purchases(file, f"An RSA key of {bits} bits", {PACKAGE: public_key(key)})
        group.verified("signed with it", signed(purchase(), key))
    for exponent in (3, 17, 4294967297):
        key = RSAKey(f"play-e{exponent}", 2048, exponent)
        group = Purchases(file, f"An RSA key with the exponent {exponent}", {PACKAGE: public_key(key)})
        group.verified("signed with it", signed(purchase(), key), "Odd")
    longest = PublicRSA((1 << 16383) + 1)
    group = Purchases(file, "An RSA key of 16384 bits, the longest that is usable", {PACKAGE: public_key(longest)})
    group.refused("signed with another key", signed(purchase()), "signature-invalid", "Boundary")
    good = public_key()
    Purchases(file, "The key as PEM", {PACKAGE: pem(KEY.spki())}).verified("signed with it", signed(purchase()), "Odd")
    pkcs1 = der.sequence(der.integer(KEY.modulus), der.integer(KEY.exponent))
    short = RSAKey("play-512", 512)
    for comment, key, signer in [
        ("an RSA key of 512 bits", public_key(short), short),
        ("an RSA key of 768 bits", public_key(RSAKey("play-768", 768)), RSAKey("play-768", 768)),
        ("an RSA key with the exponent 1", public_key(PublicRSA(KEY.modulus, 1)), IDENTITY),
        ("an RSA key with the exponent 0", public_key(PublicRSA(KEY.modulus, 0)), KEY),
        ("an RSA key with the exponent 2", public_key(PublicRSA(KEY.modulus, 2)), KEY),
        ("an RSA key with the exponent 65536", public_key(PublicRSA(KEY.modulus, 65536)), KEY),
        ("an RSA key of 1023 bits", public_key(PublicRSA((1 << 1022) + 1)), KEY),
        ("an RSA key of 16385 bits", public_key(PublicRSA((1 << 16384) + 1)), KEY),
        ("an RSA key of 32768 bits", public_key(PublicRSA((1 << 32767) + 1)), KEY),
        ("a P-256 key", b64(ECKey("play").spki()), KEY),
        ("an Ed25519 key", b64(Ed25519Key("play").spki()), KEY),
        ("empty", "", KEY),
        ("plain text", "this is no key", KEY),
        ("base64 of plain text", b64(b"this is no key"), KEY),
        ("incomplete base64", good[:100], KEY),
        ("a key with the last byte missing", b64(KEY.spki()[:-1]), KEY),
        ("a key with a trailing byte", b64(KEY.spki() + b"\0"), KEY),
        ("a PKCS #1 key instead of a SubjectPublicKeyInfo", b64(pkcs1), KEY),
        ("a certificate", b64(LEAF.der), KEY),
        ("hexadecimal digits and a suffix", KEY.spki().hex() + "zz", KEY),
    ]:
        group = Purchases(file, f"The key is {comment}", {PACKAGE: key})
        group.refused(
            "a validly signed purchase", shaped(GOOD, signature(GOOD, signer)), "key-invalid", "Undecided Key"
        )


def which_key(file):
    group = Purchases(
        file, "Keys are chosen by package name", {PACKAGE: public_key(), "com.example.other": public_key(OTHER)}
    )
    other = purchase(packageName="com.example.other")
    group.verified("a purchase in the first app", signed(purchase()))
    group.verified("a purchase in the second app", signed(other, OTHER))
    group.refused(
        "a purchase in the second app, signed with the first app's key",
        signed(other),
        "signature-invalid",
        "OneFlaw Forged",
    )
    group.refused(
        "a purchase in the first app, signed with the second app's key",
        signed(purchase(), OTHER),
        "signature-invalid",
        "OneFlaw Forged",
    )
    for comment, package in [
        ("a package without a key", "com.example.third"),
        ("a package name in different case", "com.example.App"),
        ("a prefix of a package name", "com.example"),
    ]:
        group.refused(comment, signed(purchase(packageName=package)), "key-not-found", "Undecided")
    wrong = Purchases(file, "The key of a different app is configured for the package", {PACKAGE: public_key(OTHER)})
    wrong.refused("validly signed with the app's own key", signed(purchase()), "signature-invalid", "Mistake")
    none = Purchases(file, "No key is configured", {})
    none.refused("validly signed", signed(purchase()), "key-not-found", "Undecided")
    none.refused(
        "the key that arrives with the data is not used",
        signed(purchase(), publicKey=public_key()),
        "key-not-found",
        "Undecided Confusion",
    )
    one = Purchases(file, "A key that arrives with the data is never trusted")
    one.verified("the genuine key arrives too", signed(purchase(), publicKey=public_key()))
    one.verified(
        "a different key arrives with a genuine purchase", signed(purchase(), publicKey=public_key(OTHER)), "Odd"
    )
    one.refused(
        "signed with the key that arrives",
        signed(purchase(), OTHER, publicKey=public_key(OTHER)),
        "signature-invalid",
        "Confusion Forged",
    )


def block(content):
    """Returns the signature whose RSA operation restores this padded block."""
    return b64(pow(int.from_bytes(content, "big"), KEY.private, KEY.modulus).to_bytes(256, "big"))


def signatures(file):
    group = Purchases(
        file, "The signature must be base64 of an RSA PKCS #1 v1.5 signature with SHA-1, in any spelling"
    )
    right = signature(GOOD)
    octets = KEY.sign(GOOD.encode(), "sha1")
    number = next(i for i in range(99) if {"+", "/"} <= set(signature(play.text(purchase(quantity=i)))))
    mixed = play.text(purchase(quantity=number))
    url = signature(mixed).replace("+", "-").replace("/", "_")
    group.verified("contains + and /", shaped(mixed))
    for comment, text, data in [
        ("base64url alphabet", url, mixed),
        ("padding missing", right.rstrip("="), GOOD),
        ("one = missing", right[:-1], GOOD),
        ("a line feed in the middle", right[:76] + "\n" + right[76:], GOOD),
        ("a trailing line feed", right + "\n", GOOD),
        ("a leading space", " " + right, GOOD),
    ]:
        group.verified(comment, shaped(data, text), "Odd")
    for comment, text, data in [
        ("one extra =", right + "=", GOOD),
        ("padding in the middle", right[:100] + "=" + right[100:], GOOD),
        ("spaces instead of plus signs", signature(mixed).replace("+", " "), mixed),
        ("a character outside the alphabet", "*" + right[1:], GOOD),
        ("URL escapes", right.replace("=", "%3D"), GOOD),
        ("hexadecimal, an odd number of digits", octets.hex()[:-1], GOOD),
    ]:
        group.refused(comment, shaped(data, text), "encoding")
    digest_info = der.sequence(der.sequence(der.oid("1.3.14.3.2.26"), der.null()), der.octet_string(b"\0" * 20))
    good_info = digest_info[:-20] + hashlib.sha1(GOOD.encode()).digest()
    fill = 256 - len(good_info) - 3
    flipped = bytearray(octets)
    flipped[100] ^= 8
    for comment, text in [
        ("one bit changed", b64(bytes(flipped))),
        ("255 bytes, the last missing", b64(octets[:-1])),
        ("257 bytes, a leading zero", b64(b"\0" + octets)),
        ("257 bytes, a trailing zero", b64(octets + b"\0")),
        ("one byte", b64(b"\x01")),
        ("the number 0", b64(bytes(256))),
        ("the number 1", b64(bytes(255) + b"\x01")),
        ("the modulus", b64(KEY.modulus.to_bytes(256, "big"))),
        ("all ones", b64(b"\xff" * 256)),
        ("the signature of a different purchase", signature(play.text(purchase(quantity=2)))),
        ("signature plus modulus", b64((int.from_bytes(octets, "big") + KEY.modulus).to_bytes(257, "big"))),
        ("made with SHA-512", signature(GOOD, digest="sha512")),
        ("made with MD5", signature(GOOD, digest="md5")),
        ("padding of type 2", block(b"\0\2" + b"\xff" * fill + b"\0" + good_info)),
        (
            "short padding, filler after the digest",
            block(b"\0\1" + b"\xff" * 8 + b"\0" + good_info + b"\xff" * (fill - 8)),
        ),
        ("padding with a byte other than FF", block(b"\0\1" + b"\xff" * (fill - 1) + b"\xfe\0" + good_info)),
        ("no zero byte before the DigestInfo", block(b"\0\1" + b"\xff" * (fill + 1) + good_info)),
        ("the digest without a DigestInfo", block(b"\0\1" + b"\xff" * (fill + 15) + b"\0" + good_info[-20:])),
        ("a DigestInfo with a digest of zero bytes", block(b"\0\1" + b"\xff" * fill + b"\0" + digest_info)),
    ]:
        group.refused(comment, shaped(GOOD, text), "signature-invalid")


def texts(file):
    group = Purchases(file, "The signature covers the bytes of the data exactly as the store returned them")
    for comment, text in [
        ("a trailing line feed, signed", GOOD + "\n"),
        ("indented, signed", json.dumps(purchase(), indent=4)),
        ("leading spaces, signed", "  " + GOOD),
        ("CR LF between members, signed", GOOD.replace(",", ",\r\n")),
        ("escaped slashes, signed", play.text(purchase(developerPayload="a/b")).replace("/", "\\/")),
        ("characters outside of ASCII, signed", play.text(purchase(developerPayload="caf\u00e9 \U0001f600"))),
        (
            "characters outside of ASCII written with escapes, signed",
            json.dumps(purchase(developerPayload="caf\u00e9 \U0001f600")),
        ),
    ]:
        group.verified(comment, signed(text))
    accent = play.text(purchase(developerPayload="caf\u00e9"))
    for comment, sent, was in [
        ("a trailing line feed removed", GOOD, GOOD + "\n"),
        ("a trailing line feed added", GOOD + "\n", GOOD),
        ("a trailing space added", GOOD + " ", GOOD),
        ("serialized again with spaces", json.dumps(purchase()), GOOD),
        ("serialized again with sorted members", json.dumps(purchase(), sort_keys=True, separators=(",", ":")), GOOD),
        ("serialized again without indentation", GOOD, json.dumps(purchase(), indent=4)),
        ("serialized again with escapes", json.dumps(json.loads(accent), separators=(",", ":")), accent),
        ("Unicode decomposed", accent.replace("\u00e9", "e\u0301"), accent),
        ("CR LF replaced by LF", GOOD.replace(",", ",\n"), GOOD.replace(",", ",\r\n")),
        ("purchaseState changed", play.text(purchase(purchaseState=0)), play.text(purchase(purchaseState=1))),
        ("product changed", play.text(purchase(productId="premium_yearly")), GOOD),
        ("a member added", GOOD[:-1] + ',"a":1}', GOOD),
        ("a leading byte order mark added", "\ufeff" + GOOD, GOOD),
    ]:
        group.refused(comment, shaped(sent, signature(was)), "signature-invalid", "OneFlaw Mistake")


def unreadable(file):
    group = Purchases(file, "Validly signed data that is not a JSON object: the only configured key is used")
    for comment, text in [
        ("plain text", "hello"),
        ("closing brace missing", GOOD[:-1]),
        ("a trailing letter", GOOD + "x"),
        ("packageName twice", GOOD[:-1] + f',"packageName":"{PACKAGE}"}}'),
        ("purchaseState twice", GOOD[:-1] + ',"purchaseState":1}'),
        ("an unknown member twice", GOOD[:-1] + ',"a":1,"a":2}'),
        ("a lone surrogate", GOOD[:-1] + ',"a":"\\ud800"}'),
        ("NUL written with an escape", GOOD[:-1] + ',"a":"\\u0000"}'),
        ("NaN", GOOD[:-1] + ',"a":NaN}'),
        ("an integer over Int64", GOOD[:-1] + ',"a":9223372036854775808}'),
        ("a trailing comma", GOOD[:-1] + ",}"),
        ("65 levels", GOOD[:-1] + ',"a":' + "[" * 64 + "]" * 64 + "}"),
        ("a leading byte order mark, signed", "\ufeff" + GOOD),
        ("single quotes", GOOD.replace('"', "'")),
    ]:
        group.refused(comment, signed(text), "payload-malformed")
    group.verified("64 levels", signed(GOOD[:-1] + ',"a":' + "[" * 63 + "]" * 63 + "}"), "Boundary")
    group.refused("plain text with the signature of other data", shaped("hello", signature(GOOD)), "signature-invalid")
    for comment, text in [("an array", f"[{GOOD}]"), ("null", "null"), ("a string", '"hello"'), ("a number", "1")]:
        group.refused(comment, signed(text), "payload-not-an-object")
    several = Purchases(
        file,
        "Validly signed data that is not JSON, with two keys: no key can be chosen",
        {PACKAGE: public_key(), "com.example.other": public_key(OTHER)},
    )
    several.refused("plain text, signed with the first key", signed("hello"), "payload-malformed")


def states(file):
    group = Purchases(file, "Only purchaseState 0, or none, means purchased")
    group.verified("purchaseState 0", signed(purchase(purchaseState=0)))
    group.refused("purchaseState 1", signed(purchase(purchaseState=1)), "purchase-cancelled")
    group.refused("purchaseState 2", signed(purchase(purchaseState=2)), "purchase-pending")
    # The signed data on a device has 4 where the Play Developer API has 2.
    group.refused("purchaseState 4", signed(purchase(purchaseState=4)), "purchase-pending")
    for state in (3, 7, -1, 256, 2147483647):
        group.refused(f"purchaseState {state}", signed(purchase(purchaseState=state)), "purchase-state-unknown")
    group.verified("purchaseState missing", signed(purchase(purchaseState=None)))
    group.verified("purchaseState null", signed(play.text(purchase()).replace('"purchaseState":0', '"purchaseState":null')))
    group.verified("acknowledged missing", signed(purchase(acknowledged=None)))
    group.verified("token in place of purchaseToken", signed(purchase(purchaseToken=None, token="example.token-0001")))
    update = {"purchaseToken": "example.token-0002", "productIds": ["premium_yearly"]}
    group.verified("pendingPurchaseUpdate", signed(purchase(pendingPurchaseUpdate=update)))
    strict = Purchases(
        file,
        "A strict policy requires purchaseState",
        policy={"apps": [{"bundleId": PACKAGE}], "strict": True},
    )
    strict.verified("purchaseState 0", signed(purchase(purchaseState=0)))
    strict.refused("purchaseState missing", signed(purchase(purchaseState=None)), "purchase-state-unknown")


def claim_types(file):
    group = Purchases(file, "Known members must have the right JSON type")
    for name, values in {
        "orderId": [1],
        "productId": [7, ["premium_monthly"]],
        "productIds": ["premium_monthly", [7], {}],
        "purchaseTime": ["1759320000123", True],
        "purchaseState": ["0", False, []],
        "purchaseToken": [1],
        "token": [1, []],
        "pendingPurchaseUpdate": ["text", []],
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
        ("orderId missing, as in a test purchase", {"orderId": None}),
        ("productIds instead of productId", {"productId": None, "productIds": ["a", "b"]}),
        ("unknown members", {"a": 1, "b": {"c": []}}),
        ("quantity missing", {"quantity": None}),
        (
            "developerPayload, obfuscatedAccountId and obfuscatedProfileId",
            {"developerPayload": "", "obfuscatedAccountId": "a", "obfuscatedProfileId": "b"},
        ),
    ]:
        group.verified(comment, signed(purchase(**changes)), "Odd")
    nulls = GOOD[:-1] + ',"developerPayload":null,"obfuscatedAccountId":null}'
    group.verified("developerPayload and obfuscatedAccountId null", signed(nulls), "Odd")


def policies(file):
    app, other = {"bundleId": PACKAGE}, {"bundleId": "com.example.other"}
    group = Purchases(file, "The policy's packages, products and kinds")
    plain = signed(purchase())
    several = signed(purchase(productId=None, productIds=["premium_monthly"]))
    group.verified("the accepted package", plain, policy={"apps": [app]})
    group.verified("one of several accepted packages", plain, policy={"apps": [other, app]})
    group.refused("a different package", plain, "bundle-id-mismatch", policy={"apps": [other]})
    group.refused(
        "the package in different case", plain, "bundle-id-mismatch", policy={"apps": [{"bundleId": "com.example.App"}]}
    )
    group.verified("the accepted product", plain, policy={"productIds": ["coins", "premium_monthly"]})
    group.verified("the accepted product, in productIds", several, policy={"productIds": ["premium_monthly"]})
    group.refused("a different product", plain, "product-id-mismatch", policy={"productIds": ["coins"]})
    group.refused(
        "a different product, in productIds", several, "product-id-mismatch", policy={"productIds": ["coins"]}
    )
    group.refused(
        "the product in different case", plain, "product-id-mismatch", policy={"productIds": ["PREMIUM_MONTHLY"]}
    )
    group.verified("the accepted kind", plain, policy={"kinds": ["playPurchase"]})
    group.verified(
        "a required environment, which no purchase names",
        plain,
        "Odd",
        policy={"environments": ["Production"]},
        missing=["environment"],
    )
    group.refused(
        "strict policy with an environment, which no purchase names",
        plain,
        "unchecked-claim",
        policy={"apps": [app], "environments": ["Production"], "strict": True},
    )
    for comment, changes in [
        ("no product", {"productId": None}),
        ("an empty list of products", {"productId": None, "productIds": []}),
    ]:
        text = signed(purchase(**changes))
        policy = {"apps": [app], "productIds": ["premium_monthly"]}
        group.verified(f"{comment}, a product is required", text, "Odd", policy=policy, missing=["productId"])
        group.refused(f"{comment}, strict policy", text, "unchecked-claim", policy={**policy, "strict": True})
    group.verified(
        "revoked purchases are refused by their state", plain, policy={"refusesRevoked": True}, missing=[]
    )
    group.verified("strict policy with the package", plain, policy={"apps": [app], "strict": True})
    group.refused("strict policy without packages", plain, "unchecked-claim", policy={"strict": True})
    group.refused(
        "strict policy, a pending purchase is reported as pending",
        signed(purchase(purchaseState=2)),
        "purchase-pending",
        policy={"apps": [app], "strict": True},
    )


def together(file):
    group = Purchases(
        file,
        "Several receipts in one JSON object: all are checked, and the verdict is the worst",
        roots=[b64(ROOT.der)],
        clock=CLOCK,
    )
    jws = sign(brief_transaction())
    stolen = signature(play.text(purchase(quantity=2)))
    group.verified("a purchase and a JWS, both valid", signed(purchase(), jws=jws))
    for comment, text in [
        ("a valid JWS after a purchase with the signature of another", shaped(GOOD, stolen, jws=jws)),
        ("a valid JWS before it", json.dumps({"jws": jws, "data": GOOD, "signature": stolen})),
        ("a valid JWS deep inside", shaped(GOOD, stolen, other={"items": [{"signedTransactionInfo": jws}]})),
        (
            "a valid purchase under other names",
            json.dumps(
                {"data": GOOD, "signature": stolen, "dataAndroid": GOOD, "signatureAndroid": signature(GOOD)}
            ),
        ),
    ]:
        group.refused(comment, text, "signature-invalid", "OneFlaw Forged")
    for comment, beside, code in [
        ("a JWS of an untrusted authority", sign(brief_transaction(), OTHER_CHAIN), "untrusted-root"),
        ("a JWS without its signature segment", jws.rsplit(".", 1)[0], "segment-count"),
        ("a JWS with padding", jws + "==", "encoding"),
    ]:
        group.refused(f"a valid purchase, and {comment}", signed(purchase(), jws=beside), code, "OneFlaw")
    app_receipt = der.sequence(der.oid("1.2.840.113549.1.7.2"), der.explicit(0, der.octet_string(bytes(200))))
    group.refused(
        "a valid purchase and an app receipt",
        signed(purchase(), beside=b64(app_receipt)),
        "container-malformed",
        "OneFlaw",
    )
