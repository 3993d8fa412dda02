"""A small DER writer for certificates, keys and receipts; it performs no checks, so flawed ones can be written."""


def length(count):
    """Returns the DER length octets of `count`."""
    if count < 0x80:
        return bytes([count])
    octets = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(octets)]) + octets


def tlv(tag, content):
    """Returns the encoding of one tag, length and value."""
    return bytes([tag]) + length(len(content)) + content


def sequence(*parts):
    return tlv(0x30, b"".join(parts))


def set_of(*parts):
    return tlv(0x31, b"".join(parts))


def integer(value):
    size = (value if value >= 0 else ~value).bit_length() // 8 + 1
    return tlv(0x02, value.to_bytes(size, "big", signed=True))


def boolean(value):
    return tlv(0x01, b"\xff" if value else b"\x00")


def octet_string(content):
    return tlv(0x04, content)


def bit_string(content, unused=0):
    return tlv(0x03, bytes([unused]) + content)


def null():
    return tlv(0x05, b"")


def utf8_string(text):
    return tlv(0x0C, text.encode())


def printable_string(text):
    return tlv(0x13, text.encode("ascii"))


def ia5_string(text):
    return tlv(0x16, text.encode())


def explicit(number, content):
    """Returns `content` in a constructed context-specific tag."""
    return tlv(0xA0 | number, content)


def implicit(number, content):
    """Returns a primitive context-specific tag with `content` as its value."""
    return tlv(0x80 | number, content)


def oid(dotted):
    arcs = [int(arc) for arc in dotted.split(".")]
    out = bytearray()
    for arc in [arcs[0] * 40 + arcs[1]] + arcs[2:]:
        groups = [arc & 0x7F]
        while arc := arc >> 7:
            groups.append(0x80 | (arc & 0x7F))
        out += bytes(reversed(groups))
    return tlv(0x06, bytes(out))


def time(moment):
    """Returns UTCTime until 2049 and GeneralizedTime from 2050, as RFC 5280 4.1.2.5 requires."""
    if moment.year < 2050:
        return tlv(0x17, moment.strftime("%y%m%d%H%M%SZ").encode())
    return tlv(0x18, moment.strftime("%Y%m%d%H%M%SZ").encode())


def with_long_length(encoded):
    """Returns the value with a length encoded in one byte more than necessary (BER, not DER)."""
    tag, first = encoded[0], encoded[1]
    if first < 0x80:
        return bytes([tag, 0x81, first]) + encoded[2:]
    count = first & 0x7F
    return bytes([tag, 0x80 | (count + 1), 0]) + encoded[2:]


def with_indefinite_length(encoded):
    """Returns the constructed value with an indefinite length (BER, not DER)."""
    first = encoded[1]
    header = 2 if first < 0x80 else 2 + (first & 0x7F)
    return bytes([encoded[0], 0x80]) + encoded[header:] + b"\x00\x00"


def place(encoded, *path):
    """Returns the start, the start of the contents and the end of an element, found by the indexes along its path."""
    start, contents, end = element(encoded, 0)
    for index in path:
        start, contents, end = element(encoded, contents)
        for _ in range(index):
            start, contents, end = element(encoded, end)
    return start, contents, end


def element(encoded, start):
    """Returns the start, the start of the contents and the end of the element at an offset."""
    count = encoded[start + 1] & 0x7F if encoded[start + 1] & 0x80 else 0
    contents = start + 2 + count
    size = int.from_bytes(encoded[start + 2 : contents], "big") if count else encoded[start + 1]
    return start, contents, contents + size


def bits(*positions):
    """Returns a named bit list, such as keyUsage (RFC 5280 4.2.1.3), without trailing zero bits."""
    top = max(positions)
    value = bytearray(top // 8 + 1)
    for position in positions:
        value[position // 8] |= 0x80 >> (position % 8)
    return bit_string(bytes(value), 7 - top % 8)
