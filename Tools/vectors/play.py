"""Play purchases: the data, its signature, and the JSON that clients send them in."""

import json

from .jws import b64
from .keys import RSAKey

PACKAGE = "com.example.app"
KEY = RSAKey("play", 2048)


def purchase(**changes):
    """Returns the members of the purchase data; None removes one."""
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
    """Returns compact JSON; a string is returned unchanged."""
    return members if isinstance(members, str) else json.dumps(members, separators=(",", ":"), ensure_ascii=False)


def signature(data, key=KEY, digest="sha1"):
    return b64(key.sign(data.encode(), digest))


def shaped(data, signed=None, names=("data", "signature"), **beside):
    """Returns the JSON that a client sends: data and signature under these names, and further members."""
    return json.dumps({names[0]: data, names[1]: signed if signed is not None else signature(data), **beside})


def signed(members, key=KEY, **options):
    """Returns a validly signed purchase under the names `data` and `signature`, unless `options` has others."""
    data = text(members)
    return shaped(data, signature(data, key), **options)


def public_key(key=KEY):
    """Returns the public key as the Play Console shows it."""
    return b64(key.spki())
