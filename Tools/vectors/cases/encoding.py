"""jws-encoding.json: base64url of the three segments, each non-canonical form alone."""

from .. import payloads
from ..authority import ROOT, STANDARD
from ..jws import b64, b64url, header, join, json_bytes, sign, unb64url
from ..vectorfile import VectorFile

SEGMENTS = ("header", "payload", "signature")


def build():
    file = VectorFile("jws-encoding.json", "canonical base64url, segment by segment")
    group = file.jws("Each segment is canonical base64url: no padding, its own alphabet, no spare bits", [ROOT])
    for index, name in enumerate(SEGMENTS):
        each_segment(group, index, name)
    whole(group)
    signed_over_what_was_sent(group)
    return file


def item(index, remainder):
    """A good JWS of which segment `index` has a length of `remainder` modulo 4."""
    if index == 2:
        assert remainder == 2  # 64 octets always give 86 characters
        return sign(payloads.brief_transaction())
    for spaces in range(3):
        filler = b" " * spaces
        head = json_bytes(header())[:-1] + (filler + b"}" if index == 0 else b"}")
        body = json_bytes(payloads.brief_transaction())[:-1] + (filler + b"}" if index == 1 else b"}")
        jws = join(head, body, STANDARD.key)
        if len(jws.split(".")[index]) % 4 == remainder:
            return jws
    raise AssertionError("no filler gives that remainder")


def replaced(jws, index, change):
    """The JWS with segment `index` rewritten; for header and payload it is signed again over what is sent."""
    parts = jws.split(".")
    parts[index] = change(parts[index])
    if index < 2:
        parts[2] = b64url(STANDARD.key.sign_raw(".".join(parts[:2]).encode()))
    return ".".join(parts)


def spare_bits(segment):
    """The segment with its unused last bits set."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    changed = segment[:-1] + alphabet[alphabet.index(segment[-1]) + 1]
    assert unb64url(changed) == unb64url(segment)
    return changed


def each_segment(group, index, name):
    two = item(index, 2)
    changes = [
        ("padded with ==", lambda text: text + "=="),
        ("padded with one = where two belong", lambda text: text + "="),
        ("four = behind", lambda text: text + "===="),
        ("spare bits set", spare_bits),
        ("a space in the middle", lambda text: text[:20] + " " + text[20:]),
        ("a space in front", lambda text: " " + text),
        ("a line feed in the middle", lambda text: text[:20] + "\n" + text[20:]),
        ("CR LF in the middle", lambda text: text[:20] + "\r\n" + text[20:]),
        ("a tab behind", lambda text: text + "\t"),
        ("a NUL in the middle", lambda text: text[:20] + "\0" + text[20:]),
        ("a letter that is not ASCII", lambda text: text[:20] + "\u00e9" + text[20:]),
        ("a fullwidth letter for an ASCII one", lambda text: text[:20] + "\uff21" + text[21:]),
        ("a percent escape", lambda text: text[:20] + "%41" + text[20:]),
        ("an asterisk in the middle", lambda text: text[:20] + "*" + text[21:]),
        ("one character too many for any octets", lambda text: text + "AAA"),
    ]
    for comment, change in changes:
        group.refused(f"{name}: {comment}", replaced(two, index, change), "encoding")
    if index < 2:
        three = item(index, 3)
        group.verified(f"{name}: two characters in the last quantum", two)
        group.verified(f"{name}: three characters in the last quantum", three)
        group.verified(f"{name}: full last quantum", item(index, 0))
        group.refused(f"{name}: padded with =", replaced(three, index, lambda text: text + "="), "encoding")
        group.refused(
            f"{name}: spare bits set, three characters in the last quantum",
            replaced(three, index, spare_bits),
            "encoding",
        )
    standard_alphabet(group, index, name)


def standard_alphabet(group, index, name):
    """A segment that differs between the two alphabets, written in the standard one."""
    for letter, standard in (("-", "+"), ("_", "/")):
        jws = next(jws for jws in candidates(index) if letter in jws.split(".")[index])
        group.verified(f"{name}: holds {letter}", jws)
        changed = replaced(jws, index, lambda text: text.replace("-", "+").replace("_", "/"))
        assert standard in changed.split(".")[index]
        group.refused(f"{name}: standard alphabet ({standard} for {letter})", changed, "encoding")


def candidates(index):
    """Good JWS with all kinds of octets in the segment."""
    for number in range(200):
        mark = {"note": f"{number} >>>???"}
        if index == 0:
            yield sign(payloads.brief_transaction(), **mark)
        else:
            yield sign({**payloads.brief_transaction(), **mark})


def whole(group):
    good = sign(payloads.brief_transaction())
    for comment, text in [("a line feed behind the whole", good + "\n"), ("a space in front of the whole", " " + good)]:
        group.refused(comment, text, "encoding")
    group.refused("a byte order mark in front of the whole", "\ufeff" + good, "encoding")
    group.refused("three segments of words that are no base64url", "not.a.jws!", "encoding", "Hostile")


def signed_over_what_was_sent(group):
    """The signature covers the characters as sent, so decoding and encoding again would hide a change."""
    jws = sign(payloads.brief_transaction(), note="?>~")
    head = b64(json_bytes(header(note="?>~")))
    assert "=" in head or "+" in head or "/" in head
    _, body, signature = jws.split(".")
    group.refused(
        "standard base64 with padding in the header, signature over the base64url form",
        f"{head}.{body}.{signature}",
        "encoding",
        "Hostile",
    )
