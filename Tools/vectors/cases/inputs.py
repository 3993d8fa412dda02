"""input.json: finding receipts in user input. Nothing is verified here, so the JWS are short and unsigned."""

import json
from urllib.parse import quote

from .. import der
from ..jws import b64, b64url, json_bytes
from ..keys import stream
from ..vectorfile import VectorFile


def fake(number):
    """Returns a string in the form of a JWS."""
    head, body = json_bytes({"alg": "ES256", "x5c": []}), json_bytes({"transactionId": str(number)})
    return f"{b64url(head)}.{b64url(body)}.{b64url(stream(f'fake {number}', 64))}"


ONE, TWO, THREE = fake(1), fake(2), fake(3)
DATA, SIGNATURE = '{"packageName":"com.example.app","purchaseState":0}', b64(stream("input signature", 128))
SIGNED_DATA = "1.2.840.113549.1.7.2"


class Inputs:
    """A group of detection tests."""

    def __init__(self, file, comment):
        self.group = file.group("input", comment)

    def finds(self, comment, text, *values, flags="Valid"):
        self.group.add(comment, flags, text=text, items=[{"form": "jws", "value": value} for value in values])

    def finds_play(self, comment, text, data=DATA, signature=SIGNATURE, flags="Valid"):
        self.group.add(comment, flags, text=text, items=[{"form": "play", "data": data, "signature": signature}])

    def finds_legacy(self, comment, text, flags="Valid"):
        self.group.add(comment, flags, text=text, items=[{"form": "app-receipt"}])

    def finds_items(self, comment, text, *items, flags="Odd"):
        self.group.add(comment, flags, text=text, items=list(items))

    def finds_nothing(self, comment, text, flags="Odd"):
        self.group.add(comment, flags, text=text, items=[])


def build():
    file = VectorFile("input.json", "finding receipts in user input")
    plain(file)
    in_json(file)
    wrapped(file)
    several_levels(file)
    changed(file)
    play_shapes(file)
    legacy(file)
    nothing(file)
    return file


def plain(file):
    group = Inputs(file, "A compact JWS with white space around it and line breaks in it")
    lines = "\n".join(ONE[start : start + 64] for start in range(0, len(ONE), 64))
    for comment, text in [
        ("nothing else", ONE),
        ("a trailing line feed", ONE + "\n"),
        ("spaces, tabs and CR LF around it", f" \t\r\n{ONE}\r\n \t"),
        ("a leading byte order mark", "\ufeff" + ONE),
        ("a leading byte order mark and line feed", "\ufeff\n" + ONE),
        ("broken into lines", lines),
        ("broken into lines with CR LF", lines.replace("\n", "\r\n")),
        ("broken into indented lines", lines.replace("\n", "\n    ")),
        ("trailing spaces in each line", lines.replace("\n", "  \n")),
        ("one line per segment", ONE.replace(".", ".\n")),
        ("empty lines in between", lines.replace("\n", "\n\n")),
    ]:
        group.finds(comment, text, ONE)
    group.finds("padding is kept", ONE + "==", ONE + "==", flags="Odd")
    group.finds("characters of the standard alphabet are kept", ONE[:-4] + "+/+/", ONE[:-4] + "+/+/", flags="Odd")
    group.finds(
        "an empty signature is kept",
        ONE.rsplit(".", 1)[0] + ".",
        ONE.rsplit(".", 1)[0] + ".",
        flags="Odd",
    )


def in_json(file):
    group = Inputs(file, "JSON with one or more JWS, found in order")
    for name in (
        "signedPayload",
        "signedTransactionInfo",
        "signedRenewalInfo",
        "signedAppTransactionInfo",
        "jwsRepresentation",
        "x",
    ):
        group.finds(f"a member {name}", json.dumps({name: ONE}), ONE)
    both = {"signedTransactionInfo": ONE, "signedRenewalInfo": TWO}
    deep = ONE
    for _ in range(10):
        deep = {"a": [deep]}
    for comment, value, found in [
        ("two members", both, (ONE, TWO)),
        ("a list of transactions", {"revision": "1", "signedTransactions": [ONE, TWO, THREE]}, (ONE, TWO, THREE)),
        ("an array", [ONE, TWO], (ONE, TWO)),
        ("a string", ONE, (ONE,)),
        ("a decoded notification", {"data": both}, (ONE, TWO)),
        ("a status response", {"data": [{"lastTransactions": [{"status": 1, **both}]}]}, (ONE, TWO)),
        ("twenty levels", deep, (ONE,)),
        ("between other members", {"a": 1, "b": None, "c": ONE, "d": "hello", "e": {"f": True}}, (ONE,)),
        ("the same JWS twice", [ONE, ONE], (ONE, ONE)),
    ]:
        group.finds(comment, json.dumps(value), *found)
    group.finds("indented, white space around it", "\n " + json.dumps(both, indent=4) + "\n", ONE, TWO)
    group.finds("a leading byte order mark", "\ufeff" + json.dumps(both), ONE, TWO)
    group.finds("in document order, not in alphabetical order", json.dumps({"z": ONE, "a": TWO}), ONE, TWO)
    group.finds(
        "in document order across nested objects", json.dumps([{"b": {"c": TWO}}, ONE, {"a": THREE}]), TWO, ONE, THREE
    )
    group.finds(
        "dots written with escapes", json.dumps({"signedPayload": ONE}).replace(".", "\\u002e"), ONE, flags="Odd"
    )
    group.finds_nothing("200 levels of arrays", "[" * 200 + json.dumps(ONE) + "]" * 200, "Hostile")
    group.finds_nothing("no string is a JWS", '{"signedPayload":"hello","a":[1,2,null]}')
    group.finds_nothing("a JWS as the name of a member", json.dumps({ONE: 1}))


def wrapped(file):
    group = Inputs(file, "Quotation marks, URL escapes, an additional base64")
    text = json.dumps({"signedPayload": ONE})
    padded = next(
        value for value in (json.dumps({"signedPayload": ONE, "n": "x" * n}) for n in range(3)) if len(value) % 3
    )
    for comment, value in [
        ("double quotes", f'"{ONE}"'),
        ("single quotes", f"'{ONE}'"),
        ("single quotes around JSON", f"'{text}'"),
        ("quotes with white space around them", f'  "{ONE}"\n'),
        ("dots as URL escapes", ONE.replace(".", "%2E")),
        ("dots as URL escapes in lower case", ONE.replace(".", "%2e")),
        ("JSON as URL escapes", quote(text, safe="")),
        ("JSON partly as URL escapes", quote(text)),
        ("base64 of the JWS", b64(ONE.encode())),
        ("base64 without padding", b64(ONE.encode()).rstrip("=")),
        ("base64url of the JWS", b64url(ONE.encode())),
        ("base64 of JSON", b64(text.encode())),
        ("base64 of JSON with padding", b64(padded.encode())),
        ("base64url of JSON without padding", b64url(padded.encode())),
        ("base64 with white space around it", f"\n{b64(ONE.encode())}\n"),
    ]:
        group.finds(comment, value, ONE)
    group.finds("base64 of a decoded notification", b64(json.dumps({"data": {"a": ONE, "b": TWO}}).encode()), ONE, TWO)


def several_levels(file):
    group = Inputs(file, "Each wrapping is removed at most once")
    text = json.dumps({"signedPayload": ONE})
    encoded = b64(text.encode())
    group.finds("quotes around base64", f"'{encoded}'", ONE)
    group.finds("quotes around URL escapes", f"'{ONE.replace('.', '%2E')}'", ONE)
    group.finds("URL escapes of base64 of JSON", quote(encoded, safe="").replace("A", "%41", 1), ONE)
    group.finds("quotes around URL escapes of JSON", f"'{quote(text, safe='')}'", ONE)
    group.finds_nothing("base64 twice", b64(b64(ONE.encode()).encode()))
    group.finds_nothing("base64 three times", b64(b64(b64(ONE.encode()).encode()).encode()))
    group.finds_nothing("URL escapes twice", quote(quote(text, safe=""), safe=""))
    group.finds_nothing("quotes ten times", "'" * 10 + ONE + "'" * 10)


def changed(file):
    group = Inputs(file, "A JWS that was cut or changed is found as it is, so that its flaw can be named")
    head, body, signature = ONE.split(".")
    for comment, text in [
        ("only eyJ", "eyJ"),
        ("only the header", head),
        ("half of the header", head[: len(head) // 2]),
        ("only header and payload", f"{head}.{body}"),
        ("four segments", f"{ONE}.{signature}"),
        ("a character outside the alphabet", ONE.replace(".", ".*", 1)),
        ("the first character missing", ONE[1:]),
        ("the first character changed", "f" + ONE[1:]),
        ("a space after the beginning of the header", b64url(b'{ "alg":"ES256"}') + f".{body}.{signature}"),
        ("a line feed before the header", b64url(b'\n{"alg":"ES256"}') + f".{body}.{signature}"),
        ("an empty object as the header", f"{b64url(b'{}')}.{body}.AA"),
        ("an array as the header", f"{b64url(b'[]')}.{body}.{signature}"),
    ]:
        group.finds(comment, text, text, flags="Odd")
    group.finds("a cut JWS beside another in JSON", json.dumps([ONE, f"{head}.{body}"]), ONE, f"{head}.{body}", flags="Odd")
    group.finds("the base64 of an object in JSON is not a JWS", json.dumps({"a": head, "b": ONE}), ONE, flags="Odd")
    for comment, text in [
        ("a table that ends with a JWS", f"id,receipt\n1,{ONE}"),
        ("words before a JWS", f"see {ONE}"),
        ("a bundle ID that begins with ex", "example.app.pro"),
        ("a version in JSON", json.dumps({"version": "1.2.3", "bundleId": "example.app.pro"})),
    ]:
        group.finds_nothing(comment, text)


def play_shapes(file):
    group = Inputs(file, "Play purchases")
    pairs = [
        ("data", "signature"),
        ("originalJson", "signature"),
        ("purchaseData", "signature"),
        ("INAPP_PURCHASE_DATA", "INAPP_DATA_SIGNATURE"),
        ("dataAndroid", "signatureAndroid"),
        ("receipt", "signature"),
        ("signedData", "signature"),
    ]
    for data, signature in pairs:
        group.finds_play(f"{data} and {signature}", json.dumps({data: DATA, signature: SIGNATURE}))
    shaped = json.dumps({"data": DATA, "signature": SIGNATURE})
    group.finds_play("signature first", json.dumps({"signature": SIGNATURE, "data": DATA}))
    group.finds_play(
        "with other members",
        json.dumps({"platform": "android", "data": DATA, "signature": SIGNATURE, "publicKey": "AAAA"}),
    )
    group.finds_play("indented, white space around it", "\n" + json.dumps(json.loads(shaped), indent=2) + "\n")
    group.finds_play("a leading byte order mark", "\ufeff" + shaped)
    group.finds_play("single quotes around it", f"'{shaped}'")
    group.finds_play("URL escapes", quote(shaped, safe=""))
    group.finds_play("base64", b64(shaped.encode()))
    group.finds_play(
        "a line feed in the data is kept", json.dumps({"data": DATA + "\n", "signature": SIGNATURE}), DATA + "\n"
    )
    group.finds_play(
        "spaces around the data are kept", json.dumps({"data": f" {DATA} ", "signature": SIGNATURE}), f" {DATA} "
    )
    group.finds_play(
        "the signature is kept unchanged",
        json.dumps({"data": DATA, "signature": " +-/ "}),
        signature=" +-/ ",
        flags="Odd",
    )
    names = ["data", "originalJson", "purchaseData", "INAPP_PURCHASE_DATA", "dataAndroid", "receipt", "signedData"]
    for first, second in zip(names, names[1:], strict=False):
        text = json.dumps({second: "second", first: DATA, "signature": SIGNATURE})
        group.finds_play(f"{first} takes precedence over {second}", text, flags="Odd")
    purchase = {"form": "play", "data": DATA, "signature": SIGNATURE}
    group.finds_items(
        "a JWS in a member of a Play purchase is another receipt",
        json.dumps({"data": DATA, "signature": SIGNATURE, "purchase": {"jws": ONE}}),
        purchase,
        {"form": "jws", "value": ONE},
    )
    group.finds_items(
        "a Play purchase after a JWS",
        json.dumps([{"jws": ONE}, {"originalJson": DATA, "signature": SIGNATURE}]),
        {"form": "jws", "value": ONE},
        purchase,
    )
    group.finds_items(
        "a Play purchase inside a Play purchase",
        json.dumps({"data": DATA, "signature": SIGNATURE, "a": {"data": "other", "signature": "AA=="}}),
        purchase,
        {"form": "play", "data": "other", "signature": "AA=="},
    )
    group.finds_items(
        "two signatures in one object are two purchases",
        json.dumps({"data": DATA, "signature": SIGNATURE, "dataAndroid": "other", "signatureAndroid": "AA=="}),
        purchase,
        {"form": "play", "data": "other", "signature": "AA=="},
    )
    group.finds_items(
        "one purchase under the names of two libraries",
        json.dumps({"data": DATA, "signature": SIGNATURE, "dataAndroid": DATA, "signatureAndroid": SIGNATURE}),
        purchase,
    )
    group.finds("a JWS is not the data of a Play purchase", json.dumps({"data": ONE, "signature": SIGNATURE}), ONE)
    for comment, value in [
        ("signature missing", {"data": DATA}),
        ("data missing", {"signature": SIGNATURE}),
        ("data is an object", {"data": {}, "signature": SIGNATURE}),
        ("signature is null", {"data": DATA, "signature": None}),
        ("signature is a number", {"data": DATA, "signature": 7}),
        ("names in upper case", {"DATA": DATA, "SIGNATURE": SIGNATURE}),
    ]:
        group.finds_nothing(comment, json.dumps(value))


def legacy(file):
    group = Inputs(file, "App receipts in PKCS #7")
    content = der.sequence(der.integer(1), der.set_of(), der.sequence(der.oid("1.2.840.113549.1.7.1")), der.set_of())
    receipt = der.sequence(der.oid(SIGNED_DATA), der.explicit(0, content + der.octet_string(stream("receipt", 200))))
    indefinite = der.with_indefinite_length(receipt)
    group.finds_legacy("base64", b64(receipt))
    group.finds_legacy("base64 with a trailing line feed", b64(receipt) + "\n")
    group.finds_legacy("base64 of BER with an indefinite length", b64(indefinite))
    group.finds_legacy("a member receipt-data", json.dumps({"receipt-data": b64(receipt), "password": "example"}))
    group.finds_nothing("base64 of a different SEQUENCE", b64(der.sequence(der.sequence(der.integer(1)))))
    group.finds_nothing(
        "base64 of PKCS #7 that is not signedData",
        b64(der.sequence(der.oid("1.2.840.113549.1.7.3"), der.explicit(0, content))),
    )


def nothing(file):
    group = Inputs(file, "No receipt")
    for comment, text in [
        ("empty", ""),
        ("white space", " \n\t "),
        ("only a byte order mark", "\ufeff"),
        ("plain text", "hello world"),
        ("a number", "42"),
        ("null", "null"),
        ("an empty object", "{}"),
        ("an empty array", "[]"),
        ("an empty string", '""'),
        ("incomplete JSON", '{"signedPayload":'),
        ("one quote", "'"),
        ("two quotes", "''"),
        ("percent signs", "%%%"),
        ("an incomplete URL escape", "%7"),
        ("two dots", ".."),
        ("three words with dots", "one.two.three"),
        ("XML", "<receipt/>"),
        ("base64 of plain text", b64(b"hello world")),
        ("a web address", "https://www.example.com/receipt"),
        ("replacement characters", "\ufffd\ufffd"),
    ]:
        group.finds_nothing(comment, text)
