"""jws-payload.json: the payload as JSON; every JWS has a valid signature."""

from .. import payloads
from ..authority import ROOT
from ..jws import json_bytes, sign
from ..vectorfile import VectorFile

TEXT = json_bytes(payloads.brief_transaction()).decode()
BUNDLE_POLICY = {"apps": [{"bundleId": payloads.BUNDLE_ID}]}


def build():
    file = VectorFile("jws-payload.json", "the payload as JSON, under a valid signature")
    objects(file)
    duplicates(file)
    encodings(file)
    strings(file)
    numbers(file)
    syntax(file)
    depth(file)
    values(file)
    return file


def added(member):
    """Returns the transaction with one more member, given as a string or bytes, after all others."""
    if isinstance(member, bytes):
        return TEXT[:-1].encode() + b"," + member + b"}"
    return TEXT[:-1] + "," + member + "}"


def verify(group, comment, payload, flags="Valid", **overrides):
    group.verified(comment, sign(payload), flags=flags, **overrides)


def refuse(group, comment, payload, flags="OneFlaw"):
    group.refused(comment, sign(payload), "payload-malformed", flags)


def objects(file):
    group = file.jws("The payload must be one object", [ROOT])
    for comment, payload in [
        ("null", "null"),
        ("an empty array", "[]"),
        ("an array around a transaction", f"[{TEXT}]"),
        ("a string", '"transaction"'),
        ("an integer", "42"),
        ("a decimal", "1.5"),
        ("true", "true"),
        ("false", "false"),
        ("an empty string", '""'),
        ("null with white space around it", " null "),
    ]:
        group.refused(comment, sign(payload), "payload-not-an-object")
    for comment, payload in [
        ("an empty object", "{}"),
        ("an object of unknown members", '{"a":1,"b":"c"}'),
        ("members of an ID token", '{"iss":"example","sub":"1","aud":"example","exp":1}'),
        ("a transaction inside another object", f'{{"transaction":{TEXT}}}'),
        ("member names that begin with a capital letter", '{"TransactionId":"1","NotificationType":"TEST"}'),
        ("only signedDate", f'{{"signedDate":{payloads.SIGNED}}}'),
        ("only bundleId", '{"bundleId":"com.example.app"}'),
        ("requestIdentifier without userLocale", '{"requestIdentifier":"11111111-2222-4333-8444-555555555555"}'),
        ("an encoded notification body", '{"signedPayload":"eyJ.eyJ.AAAA"}'),
    ]:
        group.refused(comment, sign(payload), "kind-unrecognized")


def duplicates(file):
    group = file.jws("No object has two members of the same name", [ROOT])
    for comment, payload in [
        ("bundleId twice with the same value", added('"bundleId":"com.example.app"')),
        ("bundleId twice, the last one different", added('"bundleId":"com.example.other"')),
        ("price twice", added('"price":0')),
        ("signedDate twice", added('"signedDate":1')),
        ("an unknown member twice", added('"a":1,"a":1')),
        ("bundleId twice, one name written with an escape", added('"bundle\\u0049d":"com.example.other"')),
        ("a name twice inside an unknown object", added('"a":{"b":1,"b":2}')),
        ("a name twice inside an object in an array", added('"a":[{"b":1,"b":2}]')),
        ("the empty name twice", added('"":1,"":2')),
    ]:
        refuse(group, comment, payload)
    verify(group, "the same name in two objects", added('"a":{"b":1},"c":{"b":1}'), "Odd")
    verify(group, "two names that differ in case", added('"bundleID":"com.example.other"'), "Odd", policy=BUNDLE_POLICY)
    verify(group, "the empty name", added('"":1'), "Odd")


def encodings(file):
    group = file.jws("The payload must be UTF-8 without a byte order mark", [ROOT])
    refuse(group, "a leading byte order mark", b"\xef\xbb\xbf" + TEXT.encode())
    refuse(group, "UTF-16 with a byte order mark", ("\ufeff" + TEXT).encode("utf-16-le"), "Hostile")
    for encoding in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        refuse(group, encoding.upper(), TEXT.encode(encoding), "Hostile")
    for comment, octets in [
        ("a lone continuation byte", b"\x80"),
        ("0xFF", b"\xff"),
        ("0xFE", b"\xfe"),
        ("Latin-1", b"caf\xe9"),
        ("overlong slash, two bytes", b"\xc0\xaf"),
        ("overlong NUL", b"\xc0\x80"),
        ("overlong slash, three bytes", b"\xe0\x80\xaf"),
        ("overlong slash, four bytes", b"\xf0\x80\x80\xaf"),
        ("a surrogate as three bytes", b"\xed\xa0\x80"),
        ("a surrogate pair as six bytes", b"\xed\xa0\xbd\xed\xb8\x80"),
        ("a code point above U+10FFFF", b"\xf4\x90\x80\x80"),
        ("a sequence of five bytes", b"\xf8\x88\x80\x80\x80"),
        ("cut after the first of two bytes", b"\xc3"),
        ("cut after the third of four bytes", b"\xf0\x9f\x98"),
    ]:
        refuse(group, f"not UTF-8: {comment}", added(b'"a":"' + octets + b'"'))
    refuse(group, "not UTF-8 in a name", added(b'"\xff":1'))
    verify(group, "characters of two, three and four bytes", added('"a":"\u00e9\u20ac\U0001f600"'), "Odd")
    verify(group, "the last code point", added('"a":"\U0010ffff"'), "Odd Boundary")
    verify(group, "noncharacters", added('"a":"\uffff\ufdd0"'), "Odd")
    verify(group, "a byte order mark in a string", added('"a":"\ufeff"'), "Odd")
    verify(
        group,
        "bidirectional controls, U+0085 and U+2028 in a string",
        added('"a":"\u202eabc\u2066\u0085\u2028"'),
        "Odd",
    )


def strings(file):
    group = file.jws("Strings and their escapes", [ROOT])
    verify(group, "every short escape", added(r'"a":"\" \\ \/ \b \f \n \r \t"'))
    verify(group, "a surrogate pair written with escapes", added(r'"a":"\ud83d\ude00"'))
    verify(group, "control characters written with escapes", added(r'"a":"\u0001\u001f\u007f"'), "Odd")
    verify(
        group,
        "bundleId, name and value written with escapes",
        TEXT.replace('"bundleId":"com', r'"bundle\u0049d":"\u0063om'),
        "Odd",
        policy=BUNDLE_POLICY,
    )
    for comment, member in [
        ("a lone high surrogate", r'"a":"\ud800"'),
        ("a lone low surrogate", r'"a":"\udc00"'),
        ("surrogates in the wrong order", r'"a":"\ude00\ud83d"'),
        ("two high surrogates", r'"a":"\ud83d\ud83d"'),
        ("a high surrogate before a letter", r'"a":"\ud83dA"'),
        ("a lone surrogate in a name", r'"\ud800":1'),
        ("NUL written with an escape", r'"a":"\u0000"'),
        ("NUL written with an escape between letters", r'"a":"x\u0000y"'),
        ("NUL written with an escape in a name", r'"a\u0000b":1'),
        ("an unknown escape", r'"a":"\x41"'),
        ("an escaped single quote", '"a":"\\\'"'),
        ("an escape with three hexadecimal digits", r'"a":"\u004"'),
        ("an escape with a letter that is not a hexadecimal digit", r'"a":"\u00g1"'),
        ("an escape with a capital U", r'"a":"\U0041"'),
        ("an unescaped NUL", '"a":"\0"'),
        ("an unescaped NUL after a number", '"a":1\0'),
        ("an unescaped NUL after a number with a fraction", '"a":1.5\0,"b":2'),
        ("an unescaped NUL after a literal", '"a":true\0'),
        ("an unescaped NUL after a string", '"a":"b"\0'),
        ("an unescaped NUL before a name", '\0"a":1'),
        ("an unescaped line feed", '"a":"\n"'),
        ("an unescaped tab", '"a":"\t"'),
        ("an unescaped U+0001", '"a":"\x01"'),
        ("an unescaped U+001F", '"a":"\x1f"'),
        ("single quotes", "'a':'b'"),
        ("an unterminated string", '"a":"b'),
    ]:
        refuse(group, comment, added(member))
    refuse(
        group,
        "NUL written with an escape in the bundle ID",
        TEXT.replace('com.example.app"', 'com.example.app\\u0000.evil"', 1),
    )
    refuse(group, "an unescaped NUL after the object", TEXT + "\0")


def numbers(file):
    group = file.jws("Numbers in an unknown member", [ROOT])
    for text in (
        "9223372036854775807",
        "-9223372036854775808",
        "0",
        "-0",
        "1.0",
        "1.5e3",
        "1E+2",
        "-1.25e-3",
        "1e308",
        "0.1",
        "1.7976931348623157e308",
    ):
        verify(group, text, added(f'"a":{text}'), "Boundary" if len(text) > 18 else "Valid")
    for text in (
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "1" + "0" * 400,
        "1e309",
        "1e400",
        "-1e400",
        "1e999999999999",
    ):
        refuse(group, text if len(text) < 30 else "an integer of 401 digits", added(f'"a":{text}'), "OneFlaw Boundary")
    for text in (
        "NaN",
        "nan",
        "Infinity",
        "-Infinity",
        "inf",
        "01",
        "-01",
        "+1",
        ".5",
        "1.",
        "1e",
        "1e+",
        "0x10",
        "1_000",
        "1,5",
        "--1",
        "-",
        "1.5.2",
        "0b1",
        "\u0661",
    ):
        refuse(group, text, added(f'"a":{text}'))
    refuse(group, "NaN in a known member", TEXT.replace('"price":4990', '"price":NaN'))
    refuse(
        group, "an integer over Int64 in a known member", TEXT.replace('"price":4990', '"price":9223372036854775808')
    )


def syntax(file):
    group = file.jws("JSON syntax", [ROOT])
    verify(group, "white space everywhere", " \n\t\r" + TEXT.replace(",", " ,\n ").replace('":', '" :\t') + " \r\n")
    verify(group, "empty array and object in unknown members", added('"a":[],"b":{},"c":null'))
    for comment, payload in [
        ("a second object after the payload", TEXT + "{}"),
        ("a trailing letter", TEXT + "x"),
        ("a trailing comma after the object", TEXT + ","),
        ("a trailing brace", TEXT + "}"),
        ("closing brace missing", TEXT[:-1]),
        ("a trailing comma in the object", TEXT[:-1] + ",}"),
        ("a comma before the first member", "{," + TEXT[1:]),
        ("two commas", added('"a":1,,"b":2')),
        ("comma missing", TEXT[:-1] + ' "a":1}'),
        ("a trailing comma in an array", added('"a":[1,]')),
        ("a line comment", added('"a":1 // x\n')),
        ("a block comment", added('"a":/**/1')),
        ("a name without quotes", added("a:1")),
        ("a number as a name", added("1:1")),
        ("a name without a value", added('"a"')),
        ("an equals sign instead of a colon", added('"a"=1')),
        ("True", added('"a":True')),
        ("undefined", added('"a":undefined')),
        ("a form feed between members", TEXT[:-1] + '\f,"a":1}'),
        ("a no-break space between members", TEXT[:-1] + '\u00a0,"a":1}'),
        ("a trailing vertical tab", TEXT + "\v"),
        ("plain text", "hello"),
        ("only a space", " "),
        ("XML", "<transaction/>"),
        ("an unterminated array", added('"a":[1')),
        ("mismatched brackets", added('"a":[1}')),
        ("base64url of an object, encoded a second time", "eyJhIjoxfQ"),
    ]:
        refuse(group, comment, payload)


def depth(file):
    group = file.jws("The payload has at most 64 levels, the object itself included", [ROOT])
    for levels in (2, 64):
        verify(group, f"{levels} levels of arrays", added(nested(levels)), "Boundary")
    verify(group, "64 levels of objects", added(nested(64, '{"a":', "}", "1")), "Boundary")
    verify(group, "300 arrays in one array", added('"a":[' + ",".join(["[]"] * 300) + "]"), "Odd")
    verify(group, "300 members", added(",".join(f'"m{number}":{number}' for number in range(300))), "Odd")
    refuse(group, "65 levels of arrays", added(nested(65)), "OneFlaw Boundary")
    refuse(group, "65 levels of objects", added(nested(65, '{"a":', "}", "1")), "OneFlaw Boundary")
    refuse(group, "2,500 levels of arrays", added(nested(2500)), "OneFlaw Hostile")


def nested(levels, opening="[", closing="]", core=""):
    """Returns an unknown member with which the payload has this number of levels in total."""
    return f'"deep":{opening * (levels - 1)}{core}{closing * (levels - 1)}'


def values(file):
    group = file.jws("Unusual values of known members, and unknown members", [ROOT])
    for comment, changes in [
        ("unknown members of every type", {"a": 1, "b": "c", "d": None, "e": [1, {"f": True}], "g": 1.5}),
        ("exp, nbf, iat and aud are ignored", {"exp": 1, "nbf": 99999999999, "iat": "yesterday", "aud": ["nobody"]}),
        ("unknown type", {"type": "Space Subscription"}),
        ("unknown transactionReason", {"transactionReason": "GIFT"}),
        ("unknown offerType", {"offerType": 99}),
        ("negative offerType", {"offerType": -1}),
        ("unknown revocationReason", {"revocationReason": 7}),
        ("unknown environment", {"environment": "Staging"}),
        ("empty inAppOwnershipType", {"inAppOwnershipType": ""}),
        ("unknown offerDiscountType", {"offerDiscountType": "BARTER"}),
        ("decimals in dates", {"purchaseDate": 1759319940049.7297, "expiresDate": 1761998340049.7297}),
        ("purchaseDate in the year 1", {"purchaseDate": -62135769600000}),
        ("originalPurchaseDate before 1970", {"originalPurchaseDate": -1}),
        ("appAccountToken is not a UUID", {"appAccountToken": "user-42"}),
        ("appAccountToken is a UUID", {"appAccountToken": "12345678-9ABC-4DEF-8012-3456789ABCDE"}),
        ("unknown storefront", {"storefront": "ZZZ"}),
        ("price above 2^53", {"price": 9007199254740993}),
        ("negative price", {"price": -1}),
        ("quantity of the largest Int32", {"quantity": 2147483647}),
        ("isUpgraded true", {"isUpgraded": True}),
        (
            "deviceVerification and deviceVerificationNonce",
            {"deviceVerification": "AAAA", "deviceVerificationNonce": "0f1e2d3c-4b5a-4697-8899-aabbccddeeff"},
        ),
        (
            "optional members null",
            {"expiresDate": None, "price": None, "offerType": None, "appAccountToken": None},
        ),
    ]:
        verify(group, comment, payloads.transaction(**changes), "Odd")
    least = {"transactionId": "1", "bundleId": "com.example.app", "signedDate": payloads.SIGNED}
    verify(group, "a transaction with three members", least, "Odd")
