"""jws-structure.json: segments, sizes, and inputs that are not JWS."""

from .. import payloads
from ..authority import FULL_CHAIN, ROOT
from ..jws import b64url, json_bytes, sign
from ..vectorfile import VectorFile

GOOD = sign(payloads.brief_transaction())


def build():
    file = VectorFile("jws-structure.json", "segments, sizes, inputs that are not JWS")
    segments(file)
    kinds(file)
    full_shape(file)
    sizes(file)
    defaults(file)
    anchors(file)
    return file


def segments(file):
    group = file.jws("A compact JWS has exactly three segments", [ROOT])
    head, body, signature = GOOD.split(".")
    group.verified("a transaction as the App Store signs it", GOOD)
    for comment, text in [
        ("empty input", ""),
        ("one dot", "."),
        ("two dots", ".."),
        ("three dots", "..."),
        ("only the header", head),
        ("header and payload without a second dot", f"{head}.{body}"),
        ("a leading dot", f".{GOOD}"),
        ("a trailing dot", f"{GOOD}."),
        ("an empty fourth and fifth segment", f"{GOOD}.."),
        ("a fourth segment", f"{GOOD}.{signature}"),
        ("five segments, as in a JWE", f"{head}.{body}.{body}.{body}.{signature}"),
        ("two JWS joined by a dot", f"{GOOD}.{GOOD}"),
        ("empty header segment", f".{body}.{signature}"),
        ("empty payload segment", f"{head}..{signature}"),
        ("detached payload, signed over the empty string", sign(b"")),
        ("commas instead of dots", GOOD.replace(".", ",")),
        ("plain text", "hello"),
    ]:
        group.refused(comment, text, "segment-count", "Hostile")
    group.refused("empty signature segment", f"{head}.{body}.", "signature-malformed")


def kinds(file):
    group = file.jws("Every kind of receipt under an empty policy", [ROOT])
    for kind, payload in [
        ("transaction", payloads.transaction()),
        ("renewalInfo", payloads.renewal_info()),
        ("notification", payloads.data_notification()),
        ("appTransaction", payloads.app_transaction()),
        ("realtimeRequest", payloads.realtime_request()),
    ]:
        group.verified(f"{kind} with its usual members", sign(payload), kind)


def full_shape(file):
    group = file.jws("Certificates with all names and extensions of the App Store's certificates", [FULL_CHAIN.root])
    for kind, payload in [
        ("transaction", payloads.transaction()),
        ("renewalInfo", payloads.renewal_info()),
        ("notification", payloads.data_notification()),
        ("appTransaction", payloads.app_transaction()),
    ]:
        group.verified(kind, sign(payload, FULL_CHAIN), kind)


def padded_transactions():
    """Returns two transactions whose JWS differ by one character in length, the shorter first."""
    by_length = {}
    for count in range(1000, 1012):
        jws = sign({**payloads.brief_transaction(), "filler": "x" * count})
        if len(jws) - 1 in by_length:
            return by_length[len(jws) - 1], jws
        by_length[len(jws)] = jws
    raise AssertionError("no two lengths differ by one")


def sizes(file):
    fitting, longer = padded_transactions()
    limit = len(fitting)
    group = file.jws("The size limit counts the characters of the compact JWS", [ROOT], maximumSize=limit)
    group.verified("exactly as long as the limit", fitting, flags="Boundary")
    group.refused("one character over the limit", longer, "too-large", "OneFlaw Boundary")
    group.refused("over the limit and not a JWS", [{"repeat": "A", "count": limit + 1}], "too-large", "Hostile")


def large(payload_text, unit, count):
    """Returns a signed JWS as parts; `unit` repeats in the payload at an offset that base64 keeps aligned."""
    front, back = payload_text
    front += " " * (-len(front) % 3)
    jws = sign(front + unit * count + back)
    head = jws.split(".")[0] + "." + b64url(front.encode())
    middle = b64url(unit.encode())
    tail = jws[len(head) + len(middle) * count :]
    assert len(unit) % 3 == 0 and head + middle * count + tail == jws
    return [{"text": head}, {"repeat": middle, "count": count}, {"text": tail}]


def text_around_member(name):
    """Returns the JSON of a transaction in two halves, around the value of an additional member."""
    text = json_bytes(payloads.brief_transaction()).decode()
    return text[:-1] + f',"{name}":', "}"


def defaults(file):
    group = file.jws(
        "The default limit of 262144 characters, and payloads that try to exhaust memory or the stack", [ROOT]
    )
    front, back = text_around_member("filler")
    group.verified(
        "a string of 150,000 characters in an unknown member",
        large((front + '  "', '"' + back), "xxx", 50_000),
        flags="Odd",
    )
    group.refused(
        "a string of 1,000,002 characters in an unknown member",
        large((front + '  "', '"' + back), "xxx", 333_334),
        "too-large",
        "OneFlaw Hostile",
    )
    group.refused("300,000 letters A", [{"repeat": "A", "count": 300_000}], "too-large", "Hostile")
    group.refused(
        "a header of 300,000 characters",
        [{"text": "eyJ"}, {"repeat": "A", "count": 300_000}, {"text": ".e30.AAAA"}],
        "too-large",
        "Hostile",
    )
    group.refused("200,000 dots", [{"repeat": ".", "count": 200_000}], "segment-count", "Hostile")
    group.refused(
        "99,999 opening brackets as the payload", large(("", ""), "[[[", 33_333), "payload-malformed", "Hostile"
    )
    group.refused(
        "19,998 nested objects, unterminated, as the payload",
        large(("", ""), '{"a":{"a":{"a":', 6_666),
        "payload-malformed",
        "Hostile",
    )
    group.refused(
        "99,999 opening brackets in an unknown member",
        large((front, back), "[[[", 33_333),
        "payload-malformed",
        "Hostile",
    )
    group.refused(
        "90,000 nested arrays in an unknown member",
        nested_and_closed(front, back, 30_000),
        "payload-malformed",
        "OneFlaw Hostile",
    )


def nested_and_closed(front, back, triples):
    front += " " * (-len(front) % 3)
    jws = sign(front + "[" * 3 * triples + "]" * 3 * triples + back)
    head = jws.split(".")[0] + "." + b64url(front.encode())
    tail = jws[len(head) + 8 * triples :]
    parts = [
        {"text": head},
        {"repeat": b64url(b"[[["), "count": triples},
        {"repeat": b64url(b"]]]"), "count": triples},
        {"text": tail},
    ]
    assert "".join(part.get("text", part.get("repeat", "") * part.get("count", 0)) for part in parts) == jws
    return parts


def anchors(file):
    group = file.jws("No trust anchor is configured", [])
    group.refused("a genuine transaction", GOOD, "no-trust-anchor", "Undecided")
