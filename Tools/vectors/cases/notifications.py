"""jws-notifications.json: notifications of each form, and the JWS inside them."""

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
    """A notification with one of its four objects."""
    return sign(notification(**{name: OBJECTS[name](**changes)}))


def bundles(file):
    group = file.jws("The bundle id of each form", [ROOT], policy={"apps": [APP]})
    for name in OBJECTS:
        group.verified(f"{name}: equal", of(name), "notification")
        group.refused(f"{name}: another", of(name, bundleId="com.example.other"), "bundle-id-mismatch")
        group.refused(f"{name}: absent", of(name, bundleId=ABSENT), "bundle-id-mismatch")
    group.refused("none of the four objects", sign(notification()), "bundle-id-mismatch")
    group.refused(
        "a bundleId outside of the four objects", sign(notification(bundleId=BUNDLE_ID)), "bundle-id-mismatch"
    )


def numbers(file):
    group = file.jws("The app's numeric id of each form", [ROOT], policy=NUMBERED)
    for name in OBJECTS:
        group.verified(f"{name}: equal", of(name), "notification")
        group.refused(f"{name}: another", of(name, appAppleId=1), "app-apple-id-mismatch")
    for name in ("data", "summary", "appData"):
        group.refused(f"{name}: absent in Production", of(name, appAppleId=ABSENT), "app-apple-id-mismatch")
        group.verified(f"{name}: absent in Sandbox", of(name, appAppleId=ABSENT, environment="Sandbox"), "notification")
    group.verified(
        "externalPurchaseToken: absent", of("externalPurchaseToken", appAppleId=ABSENT), "notification", "Odd"
    )
    test = {"notificationType": "TEST", "data": {"bundleId": BUNDLE_ID, "environment": "Sandbox"}}
    group.verified("a sandbox TEST notification", sign(notification(**test)), "notification")


def environments(file):
    group = file.jws(
        "The environment of each form, Production asked for", [ROOT], policy={"environments": ["Production"]}
    )
    for name in ("data", "summary", "appData"):
        group.verified(f"{name}: Production", of(name), "notification")
        group.refused(f"{name}: Sandbox", of(name, environment="Sandbox"), "environment-mismatch")
        group.refused(f"{name}: absent", of(name, environment=ABSENT), "environment-mismatch")
    group.refused(
        "an environment outside of the four objects",
        sign(notification(environment="Production", data=data(environment="Sandbox"))),
        "environment-mismatch",
    )
    sandbox_token = external_token()["externalPurchaseId"].replace("00000000", "SANDBOX_0000", 1)
    group.verified("externalPurchaseToken: any id", of("externalPurchaseToken"), "notification")
    group.refused(
        "externalPurchaseToken: an id that starts with SANDBOX",
        of("externalPurchaseToken", externalPurchaseId=sandbox_token),
        "environment-mismatch",
    )
    sandbox = file.jws("Sandbox asked for", [ROOT], policy={"environments": ["Sandbox"]})
    sandbox.verified(
        "externalPurchaseToken: an id that starts with SANDBOX",
        of("externalPurchaseToken", externalPurchaseId=sandbox_token),
        "notification",
    )
    sandbox.refused("externalPurchaseToken: any id", of("externalPurchaseToken"), "environment-mismatch")
    sandbox.refused(
        "externalPurchaseToken: SANDBOX in the middle of the id",
        of("externalPurchaseToken", externalPurchaseId="0000-SANDBOX"),
        "environment-mismatch",
    )


def precedence(file):
    group = file.jws(
        "The first of data, summary, externalPurchaseToken, appData counts", [ROOT], policy={"apps": [APP]}
    )
    names = list(OBJECTS)
    for first, second in zip(names, names[1:], strict=False):
        good, bad = OBJECTS[first](), OBJECTS[second](bundleId="com.example.other")
        group.verified(
            f"{first} right, {second} of another app",
            sign(notification(**{second: bad, first: good})),
            "notification",
            "Odd",
        )
        good, bad = OBJECTS[second](), OBJECTS[first](bundleId="com.example.other")
        group.refused(
            f"{first} of another app, {second} right",
            sign(notification(**{second: good, first: bad})),
            "bundle-id-mismatch",
            "Odd",
        )


def others(file):
    group = file.jws("Forms and values, nothing asked for", [ROOT])
    for comment, changes in [
        ("without any of the four objects", {}),
        ("unknown notificationType", {"notificationType": "SOMETHING_NEW"}),
        ("unknown subtype", {"data": data(), "subtype": "SOMETHING_NEW"}),
        ("unknown status", {"data": data(status=77)}),
        ("unknown members", {"data": data(note={"a": 1}), "note": [1]}),
        ("another version", {"version": "3.7"}),
        ("notificationUUID is no UUID", {"notificationUUID": "42"}),
        ("data null", {"data": None}),
    ]:
        group.verified(comment, sign(notification(**changes)), "notification", "Odd")


def with_nested(transaction=None, renewal=None, **changes):
    """A notification around two JWS; None leaves one out."""
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
    group = file.jws("The JWS inside are verified by the same rules and agree with the notification", [ROOT])
    transaction, renewal = sign(brief_transaction()), sign(renewal_info())
    group.verified("transaction and renewal info", with_nested(transaction, renewal), "notification")
    group.verified("transaction alone", with_nested(transaction), "notification")
    group.verified("renewal info alone", with_nested(None, renewal), "notification")
    group.verified("renewal info whose payload is null", with_nested(transaction, sign("null")), "notification", "Odd")
    group.verified(
        "environment absent inside, as in 2021",
        with_nested(sign(brief_transaction(environment=ABSENT)), sign(renewal_info(environment=ABSENT))),
        "notification",
        "Odd",
    )
    group.verified(
        "both of Sandbox",
        with_nested(
            sign(brief_transaction(environment="Sandbox")),
            sign(renewal_info(environment="Sandbox")),
            environment="Sandbox",
        ),
        "notification",
    )
    group.verified(
        "a transaction under a second leaf",
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
        ("transaction with another payload", with_nested(f"{head}.{cheaper}.{signature}", renewal)),
        ("transaction of another authority", with_nested(sign(brief_transaction(), OTHER_CHAIN), renewal)),
        ("transaction under an ended leaf", with_nested(sign(brief_transaction(), expired), renewal)),
        ("transaction with padding", with_nested(transaction + "==", renewal)),
        ("transaction without signature", with_nested(f"{head}.{body}.", renewal)),
        ("transaction with alg none", with_nested(f"{b64url(json_bytes({'alg': 'none'}))}.{body}.AAAA", renewal)),
        ("transaction that is an empty text", with_nested("", renewal)),
        ("transaction that is plain words", with_nested("hello", renewal)),
        ("transaction as unsigned JSON", with_nested(json_bytes(brief_transaction()).decode(), renewal)),
        ("transaction with a member of the wrong type", with_nested(sign(brief_transaction(quantity="1")), renewal)),
        ("transaction that is no JSON", with_nested(sign("{"), renewal)),
        (
            "transaction signed in the future",
            with_nested(sign(brief_transaction(signedDate=payloads.ms("2026-06-01"))), renewal),
        ),
        ("a renewal info in the transaction's place", with_nested(renewal)),
        ("a transaction in the renewal info's place", with_nested(None, transaction)),
        ("renewal info with a changed signature", with_nested(transaction, with_signature(renewal, bytes(flipped)))),
        ("renewal info of another authority", with_nested(transaction, sign(renewal_info(), OTHER_CHAIN))),
    ]:
        group.refused(comment, jws, "nested-unverified")


def mismatches(group, transaction, renewal):
    for comment, jws in [
        ("bundle id of the transaction", with_nested(sign(brief_transaction(bundleId="com.example.other")), renewal)),
        (
            "bundle id of the transaction by case",
            with_nested(sign(brief_transaction(bundleId="com.example.App")), renewal),
        ),
        ("environment of the transaction", with_nested(sign(brief_transaction(environment="Sandbox")), renewal)),
        ("environment of the renewal info", with_nested(transaction, sign(renewal_info(environment="Sandbox")))),
        ("environment of the notification", with_nested(transaction, renewal, environment="Sandbox")),
        (
            "original transaction id",
            with_nested(transaction, sign(renewal_info(originalTransactionId="200000000000002"))),
        ),
    ]:
        group.refused(f"they disagree: {comment}", jws, "nested-mismatch")


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

    group.verified("agrees", with_app(sign(short)), "notification")
    group.refused("another bundle id", with_app(sign({**short, "bundleId": "com.example.other"})), "nested-mismatch")
    group.refused("another environment", with_app(sign({**short, "receiptType": "Sandbox"})), "nested-mismatch")
    group.refused("of another authority", with_app(sign(short, OTHER_CHAIN)), "nested-unverified")
    group.refused("a transaction in its place", with_app(sign(brief_transaction())), "nested-unverified")


def nested_policy(file):
    policy = {"apps": [APP], "environments": ["Production"], "kinds": ["notification"]}
    group = file.jws("The policy with nested items", [ROOT], policy=policy)
    transaction, renewal = sign(brief_transaction()), sign(renewal_info())
    group.verified("everything fits; kinds is about the outermost", with_nested(transaction, renewal), "notification")
    group.refused(
        "the notification is of another app",
        with_nested(transaction, renewal, bundleId="com.example.other"),
        "bundle-id-mismatch",
    )
    product = {"productIds": ["com.example.app.other"]}
    group.refused("a summary of another product", of("summary"), "product-id-mismatch", policy=product)
    group.verified(
        "a summary of an accepted product", of("summary"), "notification", policy={"productIds": [payloads.PRODUCT_ID]}
    )
