"""jws-encoding.json: base64url of the three segments, one non-canonical form in each vector."""

from .. import payloads
from ..authority import ROOT, STANDARD
from ..jws import b64, b64url, header, join, json_bytes, sign, unb64url
from ..vectorfile import VectorFile

SEGMENTS = ("header", "payload", "signature")


def build():
    file = VectorFile("jws-encoding.json", "canonical base64url, segment by segment")
    group = file.jws(
        "Each segment must be canonical base64url: no padding, the URL-safe alphabet, zero spare bits", [ROOT]
    )
    for index, name in enumerate(SEGMENTS):
        each_segment(group, index, name)
    complete(group)
    signed_over_canonical_form(group)
    return file


def item(index, remainder):
    """Returns a valid JWS in which segment `index` has a length of `remainder` modulo 4."""
    if index == 2:
        assert remainder == 2  # 64 bytes always become 86 characters
        return sign(payloads.brief_transaction())
    for spaces in range(3):
        filler = b" " * spaces
        head = json_bytes(header())[:-1] + (filler + b"}" if index == 0 else b"}")
        body = json_bytes(payloads.brief_transaction())[:-1] + (filler + b"}" if index == 1 else b"}")
        jws = join(head, body, STANDARD.key)
        if len(jws.split(".")[index]) % 4 == remainder:
            return jws
    raise AssertionError("no filler leads to that remainder")


def replaced(jws, index, change):
    """Returns the JWS with segment `index` changed; a changed header or payload is signed again as sent."""
    parts = jws.split(".")
    parts[index] = change(parts[index])
    if index < 2:
        parts[2] = b64url(STANDARD.key.sign_raw(".".join(parts[:2]).encode()))
    return ".".join(parts)


def spare_bits(segment):
    """Returns the segment with a spare bit of its last character set."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    changed = segment[:-1] + alphabet[alphabet.index(segment[-1]) + 1]
    assert unb64url(changed) == unb64url(segment)
    return changed


def each_segment(group, index, name):
    two = item(index, 2)
    changes = [
        ("padded with ==", lambda text: text + "=="),
        ("padded with one = instead of two", lambda text: text + "="),
        ("padded with ====", lambda text: text + "===="),
        ("spare bits set", spare_bits),
        ("a space in the middle", lambda text: text[:20] + " " + text[20:]),
        ("a leading space", lambda text: " " + text),
        ("a line feed in the middle", lambda text: text[:20] + "\n" + text[20:]),
        ("CR LF in the middle", lambda text: text[:20] + "\r\n" + text[20:]),
        ("a trailing tab", lambda text: text + "\t"),
        ("a NUL in the middle", lambda text: text[:20] + "\0" + text[20:]),
        ("a character outside of ASCII", lambda text: text[:20] + "\u00e9" + text[20:]),
        ("a fullwidth letter instead of an ASCII letter", lambda text: text[:20] + "\uff21" + text[21:]),
        ("a percent escape", lambda text: text[:20] + "%41" + text[20:]),
        ("an asterisk in the middle", lambda text: text[:20] + "*" + text[21:]),
        ("an impossible length, 1 modulo 4", lambda text: text + "AAA"),
    ]
    for comment, change in changes:
        group.refused(f"{name}: {comment}", replaced(two, index, change), "encoding")
    if index < 2:
        three = item(index, 3)
        group.verified(f"{name}: two characters in the last quantum", two)
        group.verified(f"{name}: three characters in the last quantum", three)
        group.verified(f"{name}: four characters in the last quantum", item(index, 0))
        group.refused(f"{name}: padded with =", replaced(three, index, lambda text: text + "="), "encoding")
        group.refused(
            f"{name}: spare bits set, three characters in the last quantum",
            replaced(three, index, spare_bits),
            "encoding",
        )
    standard_alphabet(group, index, name)


def standard_alphabet(group, index, name):
    """Adds segments with a character that differs between the alphabets, in either alphabet."""
    for letter, standard in (("-", "+"), ("_", "/")):
        jws = next(jws for jws in candidates(index) if letter in jws.split(".")[index])
        group.verified(f"{name}: contains {letter}", jws)
        changed = replaced(jws, index, lambda text: text.replace("-", "+").replace("_", "/"))
        assert standard in changed.split(".")[index]
        group.refused(f"{name}: standard alphabet ({standard} instead of {letter})", changed, "encoding")


def candidates(index):
    """Yields valid JWS with varying bytes in the segment."""
    for number in range(200):
        mark = {"note": f"{number} >>>???"}
        if index == 0:
            yield sign(payloads.brief_transaction(), **mark)
        else:
            yield sign({**payloads.brief_transaction(), **mark})


def complete(group):
    good = sign(payloads.brief_transaction())
    for comment, text in [
        ("a trailing line feed after the JWS", good + "\n"),
        ("a leading space before the JWS", " " + good),
    ]:
        group.refused(comment, text, "encoding")
    group.refused("a leading byte order mark before the JWS", "\ufeff" + good, "encoding")
    group.refused("three segments that are not base64url", "not.a.jws!", "encoding", "Hostile")


def signed_over_canonical_form(group):
    """Adds a header in standard base64, which decoding and encoding again would turn into the signed form."""
    jws = sign(payloads.brief_transaction(), note="?>~")
    head = b64(json_bytes(header(note="?>~")))
    assert "=" in head or "+" in head or "/" in head
    _, body, signature = jws.split(".")
    group.refused(
        "header in standard base64 with padding, signed in its base64url form",
        f"{head}.{body}.{signature}",
        "encoding",
        "Hostile",
    )
