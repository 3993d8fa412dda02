"""Play purchases: the data, its signature, and the JSON around them."""

import json

from .jws import b64
from .keys import RSAKey

PACKAGE = "com.example.app"
KEY = RSAKey("play", 2048)


def purchase(**changes):
    """The purchase data's members; None takes one out."""
    members = {
        "orderId": "GPA.3300-0000-0000-00001",
        "packageName": PACKAGE,
        "productId": "premium_monthly",
        "purchaseTime": 1759320000123,
        "purchaseState": 0,
        "purchaseToken": "example.token-0001",
        "quantity": 1,
        "autoRenewing": True,
        "acknowledged": False,
    } | changes
    return {name: value for name, value in members.items() if value is not None}


def text(members):
    """Compact JSON; text is taken as it is."""
    return members if isinstance(members, str) else json.dumps(members, separators=(",", ":"), ensure_ascii=False)


def signature(data, key=KEY, digest="sha1"):
    return b64(key.sign(data.encode(), digest))


def shaped(data, signed=None, names=("data", "signature"), **beside):
    """The input as a client sends it: data and signature under these names."""
    return json.dumps({names[0]: data, names[1]: signed if signed is not None else signature(data), **beside})


def signed(members, key=KEY, **options):
    """A purchase in the plainest shape, rightly signed."""
    data = text(members)
    return shaped(data, signature(data, key), **options)


def public_key(key=KEY):
    """The key as the Play Console shows it."""
    return b64(key.spki())
