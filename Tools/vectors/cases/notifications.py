"""jws-notifications.json: the four forms of notifications, and the JWS inside them."""

from .. import payloads
from ..authority import OTHER_CHAIN, ROOT, chain, make_leaf
from ..jws import b64url, json_bytes, sign, signature_of, with_signature
from ..payloads import (
    ABSENT,
    APP_APPLE_ID,
    BUNDLE_ID,
    app_data,
    brief_transaction,
    data,
    data_notification,
    external_token,
    notification,
    summary,
)
from ..vectorfile import VectorFile

APP = {"bundleId": BUNDLE_ID}
NUMBERED = {"apps": [{"bundleId": BUNDLE_ID, "appAppleId": APP_APPLE_ID}]}
OBJECTS = {"data": data, "summary": summary, "externalPurchaseToken": external_token, "appData": app_data}


def build():
    file = VectorFile("jws-notifications.json", "notifications, their four forms, the JWS inside")
    bundles(file)
    numbers(file)
    environments(file)
    precedence(file)
    others(file)
    nested(file)
    nested_apps(file)
    nested_policy(file)
    return file


def of(name, **changes):
    """Returns a notification with one of the four objects."""
    return sign(notification(**{name: OBJECTS[name](**changes)}))


def bundles(file):
    group = file.jws("The bundle ID in each form", [ROOT], policy={"apps": [APP]})
    for name in OBJECTS:
        group.verified(f"{name}: equal", of(name), "notification")
        group.refused(f"{name}: different", of(name, bundleId="com.example.other"), "bundle-id-mismatch")
        group.refused(f"{name}: missing", of(name, bundleId=ABSENT), "bundle-id-mismatch")
    group.refused("none of the four objects", sign(notification()), "bundle-id-mismatch")
    group.refused("a bundleId outside the four objects", sign(notification(bundleId=BUNDLE_ID)), "bundle-id-mismatch")


def numbers(file):
    group = file.jws("The Apple ID of the app in each form", [ROOT], policy=NUMBERED)
    for name in OBJECTS:
        group.verified(f"{name}: equal", of(name), "notification")
        group.refused(f"{name}: different", of(name, appAppleId=1), "app-apple-id-mismatch")
    for name in ("data", "summary", "appData"):
        group.refused(f"{name}: missing in Production", of(name, appAppleId=ABSENT), "app-apple-id-mismatch")
        group.verified(
            f"{name}: missing in Sandbox", of(name, appAppleId=ABSENT, environment="Sandbox"), "notification"
        )
    group.verified(
        "externalPurchaseToken: missing", of("externalPurchaseToken", appAppleId=ABSENT), "notification", "Odd"
    )
    test = {"notificationType": "TEST", "data": {"bundleId": BUNDLE_ID, "environment": "Sandbox"}}
    group.verified("a TEST notification of Sandbox, without an Apple ID", sign(notification(**test)), "notification")


def environments(file):
    group = file.jws(
        "The environment in each form; the policy accepts Production only",
        [ROOT],
        policy={"environments": ["Production"]},
    )
    for name in ("data", "summary", "appData"):
        group.verified(f"{name}: Production", of(name), "notification")
        group.refused(f"{name}: Sandbox", of(name, environment="Sandbox"), "environment-mismatch")
        group.refused(f"{name}: missing", of(name, environment=ABSENT), "environment-mismatch")
    group.refused(
        "Production outside the four objects, Sandbox in data",
        sign(notification(environment="Production", data=data(environment="Sandbox"))),
        "environment-mismatch",
    )
    sandbox_token = external_token()["externalPurchaseId"].replace("00000000", "SANDBOX_0000", 1)
    group.verified("externalPurchaseToken: an ID without SANDBOX", of("externalPurchaseToken"), "notification")
    group.refused(
        "externalPurchaseToken: an ID that starts with SANDBOX",
        of("externalPurchaseToken", externalPurchaseId=sandbox_token),
        "environment-mismatch",
    )
    group.refused(
        "externalPurchaseToken: an ID that starts with SANDBOX beside the environment Production",
        of("externalPurchaseToken", externalPurchaseId=sandbox_token, environment="Production"),
        "environment-mismatch",
    )
    sandbox = file.jws(
        "The environment of external purchase tokens; the policy accepts Sandbox only",
        [ROOT],
        policy={"environments": ["Sandbox"]},
    )
    sandbox.verified(
        "externalPurchaseToken: an ID that starts with SANDBOX",
        of("externalPurchaseToken", externalPurchaseId=sandbox_token),
        "notification",
    )
    sandbox.refused("externalPurchaseToken: an ID without SANDBOX", of("externalPurchaseToken"), "environment-mismatch")
    sandbox.refused(
        "externalPurchaseToken: an ID with SANDBOX in the middle",
        of("externalPurchaseToken", externalPurchaseId="0000-SANDBOX"),
        "environment-mismatch",
    )


def precedence(file):
    group = file.jws(
        "Only the first of data, summary, externalPurchaseToken and appData counts", [ROOT], policy={"apps": [APP]}
    )
    names = list(OBJECTS)
    for first, second in zip(names, names[1:], strict=False):
        good, bad = OBJECTS[first](), OBJECTS[second](bundleId="com.example.other")
        group.verified(
            f"{first} of the app, {second} of a different app",
            sign(notification(**{second: bad, first: good})),
            "notification",
            "Odd",
        )
        good, bad = OBJECTS[second](), OBJECTS[first](bundleId="com.example.other")
        group.refused(
            f"{first} of a different app, {second} of the app",
            sign(notification(**{second: good, first: bad})),
            "bundle-id-mismatch",
            "Odd",
        )


def others(file):
    group = file.jws("Unusual forms and values under an empty policy", [ROOT])
    for comment, changes in [
        ("none of the four objects", {}),
        ("unknown notificationType", {"notificationType": "SOMETHING_NEW"}),
        ("unknown subtype", {"data": data(), "subtype": "SOMETHING_NEW"}),
        ("unknown status", {"data": data(status=77)}),
        ("unknown members", {"data": data(note={"a": 1}), "note": [1]}),
        ("a different version", {"version": "3.7"}),
        ("notificationUUID is not a UUID", {"notificationUUID": "42"}),
        ("data null", {"data": None}),
    ]:
        group.verified(comment, sign(notification(**changes)), "notification", "Odd")


def with_nested(transaction=None, renewal=None, **changes):
    """Returns a notification that contains these two JWS; None omits one."""
    inner = {"signedTransactionInfo": transaction, "signedRenewalInfo": renewal}
    return sign(data_notification(**{name: jws for name, jws in inner.items() if jws is not None}, **changes))


def renewal_info(**changes):
    base = {
        "originalTransactionId": payloads.ORIGINAL_ID,
        "autoRenewProductId": payloads.PRODUCT_ID,
        "autoRenewStatus": 1,
        "signedDate": payloads.SIGNED,
        "environment": "Production",
    }
    return payloads.changed(base, changes)


def nested(file):
    group = file.jws("The JWS inside must verify by the same rules and agree with the notification", [ROOT])
    transaction, renewal = sign(brief_transaction()), sign(renewal_info())
    group.verified("transaction and renewal info", with_nested(transaction, renewal), "notification")
    group.verified("only a transaction", with_nested(transaction), "notification")
    group.verified("only a renewal info", with_nested(None, renewal), "notification")
    group.verified("renewal info whose payload is null", with_nested(transaction, sign("null")), "notification", "Odd")
    group.verified(
        "environment missing inside, as in receipts of 2021",
        with_nested(sign(brief_transaction(environment=ABSENT)), sign(renewal_info(environment=ABSENT))),
        "notification",
        "Odd",
    )
    group.verified(
        "all of Sandbox",
        with_nested(
            sign(brief_transaction(environment="Sandbox")),
            sign(renewal_info(environment="Sandbox")),
            environment="Sandbox",
        ),
        "notification",
    )
    group.verified(
        "a transaction signed by a second leaf",
        with_nested(sign(brief_transaction(), chain(make_leaf(serial=4242)))),
        "notification",
        "Odd",
    )
    unverified(group, transaction, renewal)
    mismatches(group, transaction, renewal)


def unverified(group, transaction, renewal):
    head, body, signature = transaction.split(".")
    flipped = bytearray(signature_of(renewal))
    flipped[40] ^= 4
    cheaper = b64url(json_bytes(brief_transaction(price=0)))
    expired = chain(make_leaf(not_before="2024-01-01", not_after="2025-06-01"))
    for comment, jws in [
        (
            "transaction with a changed payload and the original signature",
            with_nested(f"{head}.{cheaper}.{signature}", renewal),
        ),
        ("transaction of an untrusted authority", with_nested(sign(brief_transaction(), OTHER_CHAIN), renewal)),
        ("transaction signed after the leaf's notAfter", with_nested(sign(brief_transaction(), expired), renewal)),
        ("transaction with base64 padding", with_nested(transaction + "==", renewal)),
        ("transaction with an empty signature", with_nested(f"{head}.{body}.", renewal)),
        ("transaction with alg none", with_nested(f"{b64url(json_bytes({'alg': 'none'}))}.{body}.AAAA", renewal)),
        ("transaction that is an empty string", with_nested("", renewal)),
        ("transaction that is plain text", with_nested("hello", renewal)),
        ("transaction as unsigned JSON", with_nested(json_bytes(brief_transaction()).decode(), renewal)),
        ("transaction with a member of the wrong type", with_nested(sign(brief_transaction(quantity="1")), renewal)),
        ("transaction whose payload is not JSON", with_nested(sign("{"), renewal)),
        (
            "transaction signed in the future",
            with_nested(sign(brief_transaction(signedDate=payloads.ms("2026-06-01"))), renewal),
        ),
        ("transaction whose payload is null", with_nested(sign("null"), renewal)),
        ("app transaction whose payload is null", of("appData", signedAppTransactionInfo=sign("null"))),
        ("renewal info whose payload is an empty array", with_nested(transaction, sign("[]"))),
        ("renewal info whose payload is a number", with_nested(transaction, sign("0"))),
        ("renewal info whose payload is the string null", with_nested(transaction, sign('"null"'))),
        ("renewal info whose payload is null and a line feed", with_nested(transaction, sign("null\n"))),
        ("renewal info whose payload is a space and null", with_nested(transaction, sign(" null"))),
        ("renewal info null of an untrusted authority", with_nested(transaction, sign("null", OTHER_CHAIN))),
        ("a renewal info instead of the transaction", with_nested(renewal)),
        ("a transaction instead of the renewal info", with_nested(None, transaction)),
        ("renewal info with a changed signature", with_nested(transaction, with_signature(renewal, bytes(flipped)))),
        ("renewal info of an untrusted authority", with_nested(transaction, sign(renewal_info(), OTHER_CHAIN))),
    ]:
        group.refused(comment, jws, "nested-unverified")


def mismatches(group, transaction, renewal):
    for comment, jws in [
        ("bundle ID of the transaction", with_nested(sign(brief_transaction(bundleId="com.example.other")), renewal)),
        (
            "bundle ID of the transaction, by case only",
            with_nested(sign(brief_transaction(bundleId="com.example.App")), renewal),
        ),
        ("environment of the transaction", with_nested(sign(brief_transaction(environment="Sandbox")), renewal)),
        ("environment of the renewal info", with_nested(transaction, sign(renewal_info(environment="Sandbox")))),
        ("environment of the notification", with_nested(transaction, renewal, environment="Sandbox")),
        (
            "original transaction ID",
            with_nested(transaction, sign(renewal_info(originalTransactionId="200000000000002"))),
        ),
    ]:
        group.refused(f"mismatch: {comment}", jws, "nested-mismatch")


def nested_apps(file):
    group = file.jws("The app transaction inside appData", [ROOT])
    short = {
        "receiptType": "Production",
        "bundleId": BUNDLE_ID,
        "appAppleId": APP_APPLE_ID,
        "receiptCreationDate": payloads.SIGNED,
    }

    def with_app(inner):
        return of("appData", signedAppTransactionInfo=inner)

    group.verified("an app transaction that agrees", with_app(sign(short)), "notification")
    group.refused(
        "a different bundle ID", with_app(sign({**short, "bundleId": "com.example.other"})), "nested-mismatch"
    )
    group.refused("a different environment", with_app(sign({**short, "receiptType": "Sandbox"})), "nested-mismatch")
    group.refused(
        "an app transaction of an untrusted authority", with_app(sign(short, OTHER_CHAIN)), "nested-unverified"
    )
    group.refused(
        "a transaction instead of the app transaction", with_app(sign(brief_transaction())), "nested-unverified"
    )


def nested_policy(file):
    policy = {"apps": [APP], "environments": ["Production"], "kinds": ["notification"]}
    group = file.jws("The policy applied to notifications with nested items", [ROOT], policy=policy)
    transaction, renewal = sign(brief_transaction()), sign(renewal_info())
    group.verified(
        "all claims match; kinds applies to the notification only", with_nested(transaction, renewal), "notification"
    )
    group.refused(
        "the notification is for a different app",
        with_nested(transaction, renewal, bundleId="com.example.other"),
        "bundle-id-mismatch",
    )
    product = {"productIds": ["com.example.app.other"]}
    group.refused("a summary of a different product", of("summary"), "product-id-mismatch", policy=product)
    group.verified(
        "a summary of an accepted product", of("summary"), "notification", policy={"productIds": [payloads.PRODUCT_ID]}
    )
