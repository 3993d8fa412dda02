"""base64url.json: canonical base64url by itself."""

import base64

from ..jws import b64, b64url
from ..keys import stream
from ..vectorfile import VectorFile

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def build():
    file = VectorFile("base64url.json", "canonical base64url: every length, every stray character")
    accepted(file.group("base64url", "Canonical texts and their octets"))
    spare(file.group("base64url", "Unused bits of the last character are zero"))
    strays(file.group("base64url", "Padding, other alphabets, white space, impossible lengths"))
    return file


def accept(group, comment, octets, flags="Valid"):
    group.add(comment, flags, text=b64url(octets), bytes=b64(octets))


def refuse(group, comment, text, flags="OneFlaw"):
    group.add(comment, flags, text=text, bytes=None)


def accepted(group):
    accept(group, "empty", b"")
    for size in range(1, 13):
        accept(group, f"{size} octets", stream(f"base64url {size}", size))
    for size in (15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65):
        accept(
            group,
            f"{size} octets, around the width of a vector register",
            stream(f"base64url {size}", size),
            "Boundary",
        )
    accept(group, "every character of the alphabet", base64.urlsafe_b64decode(ALPHABET))
    accept(group, "zeros", bytes(9))
    accept(group, "ones", b"\xff" * 9)
    accept(group, "every octet", bytes(range(256)))


def spare(group):
    two = b64url(b"\x4d")
    for step in (1, 2, 4, 8, 15):
        refuse(group, f"one octet, spare bits {step:04b}", two[0] + ALPHABET[ALPHABET.index(two[1]) | step])
    three = b64url(b"\x4d\x61")
    for step in (1, 2, 3):
        refuse(group, f"two octets, spare bits {step:02b}", three[:2] + ALPHABET[ALPHABET.index(three[2]) | step])
    long = b64url(stream("spare", 100))
    refuse(group, "100 octets, spare bits 0001", long[:-1] + ALPHABET[ALPHABET.index(long[-1]) | 1])


def strays(group):
    for comment, text in [
        ("padded with =", "TWE="),
        ("padded with ==", "TQ=="),
        ("padded with one = of two", "TQ="),
        ("= alone", "="),
        ("==== alone", "===="),
        ("= behind a full quantum", "TWFu="),
        ("==== behind a full quantum", "TWFu===="),
        ("= in the middle", "TQ==TWFu"),
        ("one character", "T"),
        ("five characters", "TWFuT"),
        ("65 characters", "T" * 65),
        ("plus", "TWF+"),
        ("slash", "TWF/"),
        ("plus and minus", "T-F+"),
        ("a full stop", "TW.u"),
        ("a comma", "TWF,"),
        ("an asterisk", "TW*u"),
        ("a tilde", "TWF~"),
        ("percent", "TW%2"),
        ("a backslash", "TWF\\"),
        ("a colon", "TWF:"),
        ("an at sign", "TW@u"),
        ("a bracket behind Z", "TWF["),
        ("a backtick before a", "TWF`"),
        ("a brace behind z", "TWF{"),
        ("a space in front", " TWFu"),
        ("a space behind", "TWFu "),
        ("a space in the middle", "TW Fu"),
        ("a line feed behind", "TWFu\n"),
        ("CR LF in the middle", "TWFu\r\nTWFu"),
        ("a tab", "TWFu\tTWFu"),
        ("a space alone", " "),
        ("four spaces", "    "),
        ("a control character", "TWF\x01"),
        ("DEL", "TWF\x7f"),
        ("e acute", "TW\u00e9"),
        ("fullwidth A", "\uff21\uff21\uff21\uff21"),
        ("Cyrillic A", "\u0410AAA"),
        ("a byte order mark in front", "\ufeffTWFu"),
        ("a no-break space", "TWFu\u00a0"),
        ("a minus sign that is no hyphen", "TWF\u2212"),
        ("a letter beyond 16 bits", "\U0001f600"),
    ]:
        refuse(group, comment, text)
    good = b64url(stream("long", 96))
    for position in (0, 15, 16, 31, 32, 63, 64, 100, 127):
        refuse(
            group, f"an exclamation mark at {position} of 128 characters", good[:position] + "!" + good[position + 1 :]
        )
        refuse(group, f"plus at {position} of 128 characters", good[:position] + "+" + good[position + 1 :])
