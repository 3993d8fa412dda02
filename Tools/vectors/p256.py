"""Arithmetic on P-256, for signatures and keys that an ordinary signer would never produce."""

P = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)


def add(left, right):
    """Returns the sum of two points; None is the point at infinity."""
    if left is None or right is None:
        return left or right
    (x1, y1), (x2, y2) = left, right
    if x1 == x2 and (y1 + y2) % P == 0:
        return None
    if left == right:
        slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, P) % P
    else:
        slope = (y2 - y1) * pow(x2 - x1, -1, P) % P
    x = (slope * slope - x1 - x2) % P
    return x, (slope * (x1 - x) - y1) % P


def multiply(scalar, point=G):
    result, scalar = None, scalar % N
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def lift_x(x):
    """Returns the point with this x and an even y, or None if the curve has none."""
    square = (x * x * x - 3 * x + B) % P
    y = pow(square, (P + 1) // 4, P)
    if y * y % P != square:
        return None
    return x, y if y % 2 == 0 else P - y


def first_x_from(start):
    """Returns the smallest x >= start of a point on the curve."""
    while lift_x(start) is None:
        start += 1
    return start


def key_for(commitment, r, s, digest):
    """Returns the public key under which (r, s) is a signature over `digest` with the point `commitment` as its R."""
    inverse = pow(r, -1, N)
    return add(multiply(s * inverse, commitment), multiply(-digest * inverse))


def encode_point(point):
    """Returns the uncompressed X9.63 form."""
    return b"\x04" + point[0].to_bytes(32, "big") + point[1].to_bytes(32, "big")


def encode_signature(r, s):
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")
