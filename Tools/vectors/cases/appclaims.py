"""app-receipt-claims.json: the creation date and the certificates' dates, the claims, and the device hash."""

import hashlib

from ..appreceipt import (
    LEAF_KEY,
    ROOT,
    STANDARD,
    XCODE,
    XCODE_CHAIN,
    chain,
    contents,
    device_hash,
    intermediate,
    later,
    leaf,
    local,
    payload,
    purchase_values,
    receipt,
    root,
    single,
)
from ..authority import Chain
from ..payloads import APP_APPLE_ID, BUNDLE_ID, PRODUCT_ID
from ..vectorfile import CLOCK, VectorFile

DAY = 86_400
EXPIRED, EARLY = "certificate-expired", "certificate-not-yet-valid"
APP = {"apps": [{"bundleId": BUNDLE_ID}]}
UUID, MAC = "8F3B1D0A-52C7-4E0B-9A41-6D2E7C9F0B13", "3c:22:fb:0a:91:5e"
ZERO = "00000000-0000-0000-0000-000000000000"
OPAQUE = bytes(range(16))


def build():
    file = VectorFile("app-receipt-claims.json", "app receipts: dates, app, environment, product, strictness, device")
    validity(file)
    creation(file)
    instants(file)
    apps(file)
    environments(file)
    products(file)
    kinds(file)
    strictness(file)
    devices(file)
    return file


def group(file, comment, roots=(ROOT,), made=STANDARD, **fields):
    return file.app_receipts(comment, roots, made.ders(), **fields)


def created(date, by=None):
    return receipt(payload(a12=date), by)


def ending(which, not_before, not_after):
    """Returns a chain in which one certificate has these dates and the others are valid much longer."""
    wide = {"not_before": "2020-01-01", "not_after": "2045-01-01"}
    dates = {name: wide for name in ("root", "intermediate", "leaf")}
    dates[which] = {"not_before": not_before, "not_after": not_after}
    top = root(**dates["root"])
    middle = intermediate(top, **dates["intermediate"])
    return chain(leaf(middle, **dates["leaf"]), middle, top)


def validity(file):
    begin, end = "2024-03-01T10:20:30Z", "2025-03-01T10:20:30Z"
    for which in ("leaf", "intermediate", "root"):
        made = ending(which, begin, end)
        tests = group(file, f"The {which} is valid for one year, the others much longer", [made.root], made)
        tests.verified("created within it, expired since", created("2024-09-01T00:00:00Z", made))
        tests.verified("created exactly at notBefore", created(begin, made), "Boundary")
        tests.verified("created exactly at notAfter", created(end, made), "Boundary")
        tests.refused("created 1 second before notBefore", created(later(begin, -1), made), EARLY, "OneFlaw Boundary")
        tests.refused("created 1 second after notAfter", created(later(end, 1), made), EXPIRED, "OneFlaw Boundary")
        missing = created(None, made)
        tests.refused("no creation date: the clock counts", missing, EXPIRED)
        tests.refused("an empty creation date: the clock counts", created("", made), EXPIRED)
        tests.verified("no creation date, clock within it", missing, clock="2024-09-01T00:00:00Z")
    made = ending("leaf", begin, end)
    tests = group(file, "Only the creation date counts", [made.root], made)
    late, inside = "2025-09-01T00:00:00Z", "2024-09-01T00:00:00Z"
    bought = [purchase_values(a1704=inside)]
    changed = receipt(payload(a12=late, a18=inside, a21=inside, purchases=bought), made)
    tests.refused("all other dates within the validity", changed, EXPIRED)
    changed = receipt(payload(a12=inside, a18=late, a21=late, purchases=[purchase_values(a1704=late)]), made)
    tests.verified("all other dates after it", changed)
    for policy, code in [
        ("signing", None),
        ("now", EXPIRED),
        ("2025-03-01T10:20:30Z", None),
        ("2025-03-01T10:20:31Z", EXPIRED),
        ("2024-01-01T00:00:00Z", EARLY),
    ]:
        fields = {"policy": {"validity": policy}}
        if code:
            tests.refused(f"validity {policy}", created(inside, made), code, **fields)
        else:
            tests.verified(f"validity {policy}", created(inside, made), **fields)
    old = single(not_before="2024-01-01", not_after="2025-01-01")
    tests = group(file, "The certificate of Xcode has dates too", [old], Chain((old,), LEAF_KEY))
    by = Chain((old,), LEAF_KEY)
    tests.verified("created within them", local(payload(a0="Xcode", a12="2024-06-01T00:00:00Z"), by))
    tests.refused("created after them", local(payload(a0="Xcode"), by), EXPIRED)


def creation(file):
    tests = group(file, "The creation date is at most 24 hours ahead of the clock")
    tests.verified("equal to the clock", created(CLOCK), "Boundary")
    tests.verified("exactly 24 hours ahead", created(later(CLOCK, DAY)), "Boundary")
    tests.refused("24 hours and 1 second ahead", created(later(CLOCK, DAY + 1)), "signed-in-the-future", "Boundary")
    tests.refused("a year ahead", created("2026-11-01T00:00:00Z"), "signed-in-the-future")
    tests.verified("a year ahead, clock a year later", created("2026-11-01T00:00:00Z"), clock="2026-11-01T00:00:00Z")
    tests.refused("the year 9999", created("9999-12-31T23:59:59Z"), "signed-in-the-future", "Boundary")


def instants(file):
    tests = group(file, "A creation date that is no date")
    for text in (
        "0",
        "1759320000000",
        "2025-10-01",
        "2025-10-01T12:00:00",
        "2025-10-32T12:00:00Z",
        "2025-02-30T12:00:00Z",
        "2025-10-01T12:00:00Y",
        "1969-12-31T23:59:59Z",
        "0000-01-01T00:00:00Z",
        "99999-10-01T12:00:00Z",
        "2025-10-01T12:00:00Z2025-10-01T12:00:00Z",
    ):
        tests.refused(repr(text), created(text), "signing-time-invalid", "OneFlaw Hostile")
    tests.refused("before every certificate", created("1970-01-01T00:00:00Z"), EARLY, "Boundary")


def apps(file):
    tests = group(file, "The app", policy=APP)
    tests.verified("the bundle ID of the policy", receipt())
    for comment, name in [
        ("another app", "com.example.other"),
        ("another letter case", "com.example.App"),
        ("a prefix", "com.example"),
        ("a longer one", "com.example.app2"),
        ("a space at the end", "com.example.app "),
        ("a character that looks the same", "com.example.\u0430pp"),
        ("a wildcard", "*"),
    ]:
        tests.refused(f"bundle ID: {comment}", receipt(payload(a2=name)), "bundle-id-mismatch")
    both = {"apps": [{"bundleId": "com.example.other"}, {"bundleId": BUNDLE_ID}]}
    tests.verified("the second app of the policy", receipt(), policy=both)
    named = {"apps": [{"bundleId": BUNDLE_ID, "appAppleId": APP_APPLE_ID}]}
    sandbox = {"a0": "ProductionSandbox"}
    tests.verified("the Apple ID of the policy", receipt(), policy=named)
    for comment, number in [("another one", APP_APPLE_ID + 1), ("negative", -APP_APPLE_ID)]:
        changed = receipt(payload(a1=number))
        tests.refused(f"Apple ID: {comment}", changed, "app-apple-id-mismatch", policy=named)
    for comment, number in [("0", 0), ("missing", None)]:
        changed = payload(a1=number)
        tests.refused(f"Apple ID {comment}, production", receipt(changed), "app-apple-id-mismatch", policy=named)
        made = receipt(payload(a1=number, **sandbox))
        tests.verified(f"Apple ID {comment}, sandbox", made, policy=named, missing=["appAppleId"])
    changed = receipt(payload(a1=APP_APPLE_ID + 1, **sandbox))
    tests.refused("another Apple ID, sandbox", changed, "app-apple-id-mismatch", policy=named)


def environments(file):
    tests = group(file, "The environment follows from the receipt type")
    accepted = {"Production": "Production", "ProductionSandbox": "Sandbox", "Xcode": "Xcode"}
    for kind, environment in accepted.items():
        for required in accepted.values():
            policy, made = {"environments": [required]}, receipt(payload(a0=kind))
            comment = f"type {kind} where {required} is required"
            if required == environment:
                tests.verified(comment, made, policy=policy)
            else:
                tests.refused(comment, made, "environment-mismatch", policy=policy)
    policy = {"environments": ["Production", "Sandbox"]}
    tests.verified(
        "type ProductionSandbox where two are accepted", receipt(payload(a0="ProductionSandbox")), policy=policy
    )
    for kind in ("production", "Production ", "Staging"):
        made = receipt(payload(a0=kind))
        tests.refused(f"type {kind!r}", made, "environment-mismatch", policy=policy)
    tests.verified(
        "an unknown type, no environment required",
        receipt(payload(a0="Staging")),
        "Odd",
        contents=contents(a0="Staging"),
    )


def products(file):
    tests = group(file, "One of the purchases is of an accepted product", policy={"productIds": [PRODUCT_ID]})
    accepted, other = purchase_values(), purchase_values(a1702="com.example.app.other")
    tests.verified("the only purchase", receipt(payload(purchases=[accepted])))
    tests.verified("the last of three", receipt(payload(purchases=[other, other, accepted])))
    tests.refused("none of two", receipt(payload(purchases=[other, other])), "product-id-mismatch")
    upper = purchase_values(a1702=PRODUCT_ID.upper())
    tests.refused("another letter case", receipt(payload(purchases=[upper])), "product-id-mismatch")
    tests.verified("no purchase", receipt(), missing=["productId"])
    nameless = purchase_values(a1702=None)
    tests.verified("a purchase without a product", receipt(payload(purchases=[nameless])), missing=["productId"])


def kinds(file):
    tests = group(file, "The kind of receipt")
    tests.verified("app receipts are accepted", receipt(), policy={"kinds": ["appReceipt"]})
    tests.verified("among others", receipt(), policy={"kinds": ["transaction", "appReceipt"]})
    tests.refused("only transactions are", receipt(), "kind-mismatch", policy={"kinds": ["transaction"]})
    tests.refused("only app transactions are", receipt(), "kind-mismatch", policy={"kinds": ["appTransaction"]})


def strictness(file):
    tests = group(file, "A strict policy")
    everything = {**APP, "environments": ["Production"], "strict": True}
    tests.verified("app and environment are required", receipt(), policy=everything)
    tests.refused(
        "no app is required", receipt(), "unchecked-claim", policy={"environments": ["Production"], "strict": True}
    )
    tests.refused("no environment is required", receipt(), "unchecked-claim", policy={**APP, "strict": True})
    product = {**everything, "productIds": [PRODUCT_ID]}
    tests.verified("a purchase of the product", receipt(payload(purchases=[purchase_values()])), policy=product)
    tests.refused("no purchase", receipt(), "unchecked-claim", policy=product)
    tests.refused(
        "revoked purchases are refused", receipt(), "unchecked-claim", policy={**everything, "refusesRevoked": True}
    )
    tests.verified("the same, not strict", receipt(), policy={"refusesRevoked": True}, missing=["revocationDate"])
    named = {**everything, "apps": [{"bundleId": BUNDLE_ID, "appAppleId": APP_APPLE_ID}], "environments": ["Sandbox"]}
    made = receipt(payload(a0="ProductionSandbox", a1=0))
    tests.verified("no Apple ID in the sandbox", made, policy=named, missing=["appAppleId"])


def device(text):
    return bytes.fromhex(text.replace("-", "").replace(":", ""))


def bound(to, **changes):
    """Returns a receipt with the hash of a device."""
    merged = {"a4": OPAQUE, "a5": device_hash(device(to), OPAQUE), **changes}
    return receipt(payload(**merged))


def devices(file):
    for comment, name in [("a UUID", UUID), ("a MAC address", MAC), ("the UUID of zeros", ZERO)]:
        tests = group(file, f"The policy names a device: {comment}", policy={"device": name})
        tests.verified("bound to it", bound(name))
        for other in (UUID, MAC, ZERO):
            if other != name:
                tests.refused(f"bound to {other}", bound(other), "device-mismatch")
        tests.refused("no hash", bound(name, a5=None), "device-mismatch")
        tests.refused("no opaque value", bound(name, a4=None), "device-mismatch")
        tests.refused("neither of them", receipt(), "device-mismatch")
    tests = group(
        file, "The hash is over the device, the opaque value and the bundle ID as encoded", policy={"device": UUID}
    )
    right, octets = device_hash(device(UUID), OPAQUE), device(UUID)
    for comment, changes in [
        ("one bit changed", {"a5": bytes([right[0] ^ 1]) + right[1:]}),
        ("without its last byte", {"a5": right[:-1]}),
        ("with a byte more", {"a5": right + b"\0"}),
        ("empty", {"a5": b""}),
        ("of another bundle ID", {"a5": device_hash(octets, OPAQUE, "com.example.other")}),
        ("of another opaque value", {"a5": device_hash(octets, OPAQUE[::-1])}),
        ("for another bundle ID", {"a2": "com.example.other"}),
        ("for another opaque value", {"a4": OPAQUE + b"\0"}),
        ("of the bundle ID without its encoding", {"a5": plain_hash(octets, OPAQUE, BUNDLE_ID.encode())}),
        ("of device and bundle ID in another order", {"a5": plain_hash(OPAQUE, octets, BUNDLE_ID.encode())}),
        ("of the device's text", {"a5": device_hash(UUID.encode(), OPAQUE)}),
        ("of the device in the other byte order", {"a5": device_hash(octets[::-1], OPAQUE)}),
    ]:
        tests.refused(f"a hash {comment}", bound(UUID, **changes), "device-mismatch", "OneFlaw Forged")
    tests.verified("an opaque value without a byte", bound(UUID, a4=b"", a5=device_hash(octets, b"")), "Odd")
    tests = group(file, "The policy names no device")
    tests.verified("bound to a device", bound(UUID))
    tests.verified("bound to no device", receipt())
    by = file.app_receipts("The device of a receipt of Xcode", [XCODE], XCODE_CHAIN.ders(), policy={"device": UUID})
    made = payload(a0="Xcode", a4=OPAQUE, a5=right)
    by.verified("bound to it", local(made))
    by.refused("bound to nothing", local(), "device-mismatch")


def plain_hash(*parts):
    return hashlib.sha1(b"".join(parts)).digest()
