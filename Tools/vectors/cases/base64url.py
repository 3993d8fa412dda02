"""base64url.json: canonical base64url."""

import base64

from ..jws import b64, b64url
from ..keys import stream
from ..vectorfile import VectorFile

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def build():
    file = VectorFile("base64url.json", "canonical base64url: lengths, spare bits, invalid characters")
    accepted(file.group("base64url", "Canonical texts and their bytes"))
    spare(file.group("base64url", "The unused bits of the last character must be zero"))
    invalid(file.group("base64url", "Padding, other alphabets, white space, impossible lengths"))
    return file


def accept(group, comment, octets, flags="Valid"):
    group.add(comment, flags, text=b64url(octets), bytes=b64(octets))


def refuse(group, comment, text, flags="OneFlaw"):
    group.add(comment, flags, text=text, bytes=None)


def accepted(group):
    accept(group, "empty", b"")
    for size in range(1, 13):
        accept(group, f"length {size}", stream(f"base64url {size}", size))
    for size in (15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65):
        accept(
            group,
            f"length {size}, near the width of a vector register",
            stream(f"base64url {size}", size),
            "Boundary",
        )
    accept(group, "every character of the alphabet", base64.urlsafe_b64decode(ALPHABET))
    accept(group, "nine zero bytes", bytes(9))
    accept(group, "nine bytes 0xFF", b"\xff" * 9)
    accept(group, "every byte value", bytes(range(256)))


def spare(group):
    two = b64url(b"\x4d")
    for step in (1, 2, 4, 8, 15):
        refuse(group, f"one byte, spare bits {step:04b}", two[0] + ALPHABET[ALPHABET.index(two[1]) | step])
    three = b64url(b"\x4d\x61")
    for step in (1, 2, 3):
        refuse(group, f"two bytes, spare bits {step:02b}", three[:2] + ALPHABET[ALPHABET.index(three[2]) | step])
    long = b64url(stream("spare", 100))
    refuse(group, "100 bytes, spare bits 0001", long[:-1] + ALPHABET[ALPHABET.index(long[-1]) | 1])


def invalid(group):
    for comment, text in [
        ("padded with =", "TWE="),
        ("padded with ==", "TQ=="),
        ("padded with one = instead of two", "TQ="),
        ("= alone", "="),
        ("==== alone", "===="),
        ("= after a complete quantum", "TWFu="),
        ("==== after a complete quantum", "TWFu===="),
        ("= in the middle", "TQ==TWFu"),
        ("one character", "T"),
        ("five characters", "TWFuT"),
        ("65 characters", "T" * 65),
        ("a plus sign", "TWF+"),
        ("a slash", "TWF/"),
        ("a plus sign and a minus sign", "T-F+"),
        ("a full stop", "TW.u"),
        ("a comma", "TWF,"),
        ("an asterisk", "TW*u"),
        ("a tilde", "TWF~"),
        ("a percent sign", "TW%2"),
        ("a backslash", "TWF\\"),
        ("a colon", "TWF:"),
        ("an at sign", "TW@u"),
        ("a bracket, the character after Z", "TWF["),
        ("a backtick, the character before a", "TWF`"),
        ("a brace, the character after z", "TWF{"),
        ("a leading space", " TWFu"),
        ("a trailing space", "TWFu "),
        ("a space in the middle", "TW Fu"),
        ("a trailing line feed", "TWFu\n"),
        ("CR LF in the middle", "TWFu\r\nTWFu"),
        ("a tab in the middle", "TWFu\tTWFu"),
        ("a space alone", " "),
        ("four spaces", "    "),
        ("a control character", "TWF\x01"),
        ("DEL", "TWF\x7f"),
        ("an e with an acute accent", "TW\u00e9"),
        ("fullwidth letters A", "\uff21\uff21\uff21\uff21"),
        ("a Cyrillic letter A", "\u0410AAA"),
        ("a leading byte order mark", "\ufeffTWFu"),
        ("a trailing no-break space", "TWFu\u00a0"),
        ("a minus sign (U+2212) instead of a hyphen", "TWF\u2212"),
        ("a character outside the Basic Multilingual Plane", "\U0001f600"),
    ]:
        refuse(group, comment, text)
    good = b64url(stream("long", 96))
    for position in (0, 15, 16, 31, 32, 63, 64, 100, 127):
        refuse(
            group, f"an exclamation mark at {position} of 128 characters", good[:position] + "!" + good[position + 1 :]
        )
        refuse(group, f"a plus sign at {position} of 128 characters", good[:position] + "+" + good[position + 1 :])
