"""jws-claims.json: what the caller asks for, against what the payload says."""

from .. import payloads
from ..authority import ROOT
from ..jws import sign
from ..payloads import ABSENT, APP_APPLE_ID, BUNDLE_ID, PRODUCT_ID, app_transaction, brief_transaction, realtime_request
from ..vectorfile import VectorFile

APP = {"bundleId": BUNDLE_ID}
APP_WITH_ID = {"bundleId": BUNDLE_ID, "appAppleId": APP_APPLE_ID}
OTHER_APP = {"bundleId": "com.example.other"}
SANDBOX = {"environment": "Sandbox"}


def build():
    file = VectorFile("jws-claims.json", "bundle id, app id, environment, kind, product, revocation, strict")
    bundle_ids(file)
    app_apple_ids(file)
    environments(file)
    kinds(file)
    detection(file)
    products(file)
    revoked(file)
    strict(file)
    return file


def bundle_ids(file):
    group = file.jws("The bundle id is compared whole and by case", [ROOT], policy={"apps": [APP]})
    group.verified("equal", sign(brief_transaction()))
    group.verified("app transaction, equal", sign(app_transaction()), "appTransaction")
    for comment, value in [
        ("another", "com.example.other"),
        ("case differs", "com.example.App"),
        ("a prefix", "com.example"),
        ("more behind", "com.example.apps"),
        ("a component more", "com.example.app.watch"),
        ("a space behind", "com.example.app "),
        ("a space in front", " com.example.app"),
        ("empty", ""),
        ("a line feed behind", "com.example.app\n"),
        ("a lookalike letter", "com.example.\u0430pp"),
        ("a zero-width letter", "com.example.app\u200b"),
        ("a star", "com.example.*"),
        ("fullwidth letters", "com.example.\uff41\uff50\uff50"),
    ]:
        group.refused(f"transaction: {comment}", sign(brief_transaction(bundleId=value)), "bundle-id-mismatch")
    group.refused("transaction: absent", sign(brief_transaction(bundleId=ABSENT)), "bundle-id-mismatch")
    group.refused("transaction: null", sign(brief_transaction(bundleId=None)), "bundle-id-mismatch")
    group.refused("app transaction: another", sign(app_transaction(bundleId="com.example.other")), "bundle-id-mismatch")
    group.refused("app transaction: absent", sign(app_transaction(bundleId=ABSENT)), "bundle-id-mismatch")
    group.verified("renewal info has none", sign(payloads.renewal_info()), "renewalInfo")
    group.verified(
        "a bundleId in a renewal info is an unknown member",
        sign(payloads.renewal_info(bundleId="com.example.other")),
        "renewalInfo",
        "Odd",
    )
    group.verified("realtime request has none", sign(realtime_request()), "realtimeRequest")
    several = file.jws(
        "Several apps are accepted", [ROOT], policy={"apps": [OTHER_APP, APP, {"bundleId": "com.example.third"}]}
    )
    for bundle in ("com.example.other", BUNDLE_ID, "com.example.third"):
        several.verified(f"{bundle}", sign(brief_transaction(bundleId=bundle)))
    several.refused("a fourth app", sign(brief_transaction(bundleId="com.example.fourth")), "bundle-id-mismatch")
    nothing = file.jws("No app is asked for", [ROOT])
    nothing.verified("any bundle id", sign(brief_transaction(bundleId="com.example.other")))
    nothing.verified("no bundle id", sign(brief_transaction(bundleId=ABSENT)), flags="Odd")
    composed = file.jws(
        "Unicode forms are not made equal", [ROOT], policy={"apps": [{"bundleId": "com.example.caf\u00e9"}]}
    )
    composed.verified("the same form", sign(brief_transaction(bundleId="com.example.caf\u00e9")), flags="Odd")
    composed.refused(
        "the decomposed form", sign(brief_transaction(bundleId="com.example.cafe\u0301")), "bundle-id-mismatch"
    )


def app_apple_ids(file):
    group = file.jws(
        "The app's numeric id is compared where both sides have one", [ROOT], policy={"apps": [APP_WITH_ID]}
    )
    group.verified("app transaction, equal", sign(app_transaction()), "appTransaction")
    group.verified("realtime request, equal", sign(realtime_request()), "realtimeRequest")
    group.verified("a transaction has none", sign(brief_transaction()))
    group.verified(
        "app transaction of Sandbox without",
        sign(app_transaction(receiptType="Sandbox", appAppleId=ABSENT)),
        "appTransaction",
    )
    group.refused(
        "app transaction, another", sign(app_transaction(appAppleId=APP_APPLE_ID + 1)), "app-apple-id-mismatch"
    )
    group.refused("app transaction, 0", sign(app_transaction(appAppleId=0)), "app-apple-id-mismatch")
    group.refused("app transaction, negated", sign(app_transaction(appAppleId=-APP_APPLE_ID)), "app-apple-id-mismatch")
    group.refused(
        "app transaction, equal in the low 32 bits",
        sign(app_transaction(appAppleId=APP_APPLE_ID + (1 << 32))),
        "app-apple-id-mismatch",
    )
    group.refused(
        "app transaction of Production without", sign(app_transaction(appAppleId=ABSENT)), "app-apple-id-mismatch"
    )
    group.refused(
        "app transaction of Sandbox, another",
        sign(app_transaction(receiptType="Sandbox", appAppleId=1)),
        "app-apple-id-mismatch",
    )
    group.refused(
        "app transaction, right number and another bundle id",
        sign(app_transaction(bundleId="com.example.other")),
        "bundle-id-mismatch",
    )
    group.refused("realtime request, another", sign(realtime_request(appAppleId=1)), "app-apple-id-mismatch")
    two = [APP_WITH_ID, {"bundleId": "com.example.other", "appAppleId": 2}]
    pairs = file.jws("Bundle id and number belong together", [ROOT], policy={"apps": two})
    pairs.verified("the first app", sign(app_transaction()), "appTransaction")
    pairs.verified(
        "the second app", sign(app_transaction(bundleId="com.example.other", appAppleId=2)), "appTransaction"
    )
    pairs.verified("realtime request of the second app", sign(realtime_request(appAppleId=2)), "realtimeRequest")
    pairs.refused(
        "the first app's bundle id with the second's number",
        sign(app_transaction(appAppleId=2)),
        "app-apple-id-mismatch",
    )
    same = file.jws(
        "One bundle id with two numbers",
        [ROOT],
        policy={"apps": [{"bundleId": BUNDLE_ID, "appAppleId": 1}, APP_WITH_ID]},
    )
    same.verified("the second number", sign(app_transaction()), "appTransaction")
    same.refused("a third number", sign(app_transaction(appAppleId=3)), "app-apple-id-mismatch")
    without = file.jws("The policy names no number", [ROOT], policy={"apps": [APP]})
    without.verified("any number", sign(app_transaction(appAppleId=1)), "appTransaction")
    without.verified("no number in Production", sign(app_transaction(appAppleId=ABSENT)), "appTransaction")


def environments(file):
    group = file.jws("Production alone is accepted", [ROOT], policy={"environments": ["Production"]})
    makers = [
        ("transaction", brief_transaction, "environment"),
        ("renewalInfo", payloads.renewal_info, "environment"),
        ("appTransaction", app_transaction, "receiptType"),
        ("realtimeRequest", realtime_request, "environment"),
    ]
    for kind, make, name in makers:
        group.verified(f"{kind}: Production", sign(make()), kind)
        group.refused(f"{kind}: Sandbox", sign(make(**{name: "Sandbox"})), "environment-mismatch")
    for value in (
        "Xcode",
        "LocalTesting",
        "production",
        "PRODUCTION",
        "Production ",
        "",
        "Staging",
        "ProductionSandbox",
    ):
        group.refused(f"transaction: {value!r}", sign(brief_transaction(environment=value)), "environment-mismatch")
    group.verified("transaction: absent, as in 2021", sign(brief_transaction(environment=ABSENT)), flags="Odd")
    group.verified(
        "renewal info: absent, as in 2021", sign(payloads.renewal_info(environment=ABSENT)), "renewalInfo", "Odd"
    )
    group.verified("transaction: null", sign(brief_transaction(environment=None)), flags="Odd")
    group.refused(
        "app transaction: receiptType absent", sign(app_transaction(receiptType=ABSENT)), "environment-mismatch"
    )
    group.refused(
        "app transaction: environment says nothing beside receiptType",
        sign(app_transaction(receiptType="Sandbox", environment="Production")),
        "environment-mismatch",
    )
    group.refused("realtime request: absent", sign(realtime_request(environment=ABSENT)), "environment-mismatch")
    both = file.jws("Two environments are accepted", [ROOT], policy={"environments": ["Production", "Sandbox"]})
    for value in ("Production", "Sandbox"):
        both.verified(f"transaction: {value}", sign(brief_transaction(environment=value)))
    both.refused("transaction: Xcode", sign(brief_transaction(environment="Xcode")), "environment-mismatch")
    sandbox = file.jws("Sandbox alone is accepted", [ROOT], policy={"environments": ["Sandbox"]})
    sandbox.verified("transaction: Sandbox", sign(brief_transaction(**SANDBOX)))
    sandbox.refused("transaction: Production", sign(brief_transaction()), "environment-mismatch")


def samples():
    return {
        "transaction": brief_transaction(),
        "renewalInfo": payloads.renewal_info(),
        "notification": payloads.data_notification(),
        "appTransaction": app_transaction(),
        "realtimeRequest": realtime_request(),
    }


def kinds(file):
    for wanted in samples():
        group = file.jws(f"Only the kind {wanted} is accepted", [ROOT], policy={"kinds": [wanted]})
        for kind, payload in samples().items():
            if kind == wanted:
                group.verified(kind, sign(payload), kind)
            else:
                group.refused(f"{kind} in its place", sign(payload), "kind-mismatch")
    two = file.jws("Two kinds are accepted", [ROOT], policy={"kinds": ["transaction", "renewalInfo"]})
    two.verified("the second", sign(payloads.renewal_info()), "renewalInfo")
    two.refused("another", sign(app_transaction()), "kind-mismatch")


def detection(file):
    group = file.jws("The kind follows from the members, the first that fits", [ROOT])
    when = {"signedDate": payloads.SIGNED}
    for comment, kind, payload in [
        ("notificationType alone", "notification", {"notificationType": "TEST"}),
        ("notificationUUID alone", "notification", {"notificationUUID": "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"}),
        ("receiptType alone", "appTransaction", {"receiptType": "Production"}),
        ("requestIdentifier and userLocale", "realtimeRequest", realtime_request()),
        ("autoRenewStatus alone", "renewalInfo", {"autoRenewStatus": 0}),
        ("autoRenewProductId alone", "renewalInfo", {"autoRenewProductId": PRODUCT_ID}),
        ("expirationIntent alone", "renewalInfo", {"expirationIntent": 1}),
        ("transactionId alone", "transaction", {"transactionId": "1"}),
        ("transactionId and autoRenewStatus", "renewalInfo", {"transactionId": "1", "autoRenewStatus": 1}),
        ("transactionId and notificationType", "notification", {"transactionId": "1", "notificationType": "TEST"}),
        ("transactionId and receiptType", "appTransaction", {"transactionId": "1", "receiptType": "Production"}),
        ("notificationType and receiptType", "notification", {"receiptType": "Production", "notificationType": "TEST"}),
        ("autoRenewStatus and receiptType", "appTransaction", {"autoRenewStatus": 1, "receiptType": "Production"}),
        (
            "a transaction with originalTransactionId",
            "transaction",
            {"transactionId": "1", "originalTransactionId": "1"},
        ),
    ]:
        timed = {**payload, "receiptCreationDate": payloads.SIGNED} if kind == "appTransaction" else {**when, **payload}
        group.verified(comment, sign(timed), kind, "Odd")
    group.verified("receiptCreationDate alone", sign({"receiptCreationDate": payloads.SIGNED}), "appTransaction", "Odd")
    group.refused("originalTransactionId alone", sign({**when, "originalTransactionId": "1"}), "kind-unrecognized")
    group.refused("userLocale alone", sign({**when, "userLocale": "en"}), "kind-unrecognized")


def products(file):
    group = file.jws("Two products are accepted", [ROOT], policy={"productIds": [PRODUCT_ID, "com.example.app.coins"]})
    group.verified("transaction, the first", sign(brief_transaction()))
    group.verified("transaction, the second", sign(brief_transaction(productId="com.example.app.coins")))
    group.verified("renewal info", sign(payloads.renewal_info()), "renewalInfo")
    group.verified("realtime request", sign(realtime_request()), "realtimeRequest")
    group.verified("an app transaction has none", sign(app_transaction()), "appTransaction")
    for comment, value in [
        ("another", "com.example.app.other"),
        ("case differs", PRODUCT_ID.upper()),
        ("a prefix", "com.example.app"),
        ("empty", ""),
    ]:
        group.refused(f"transaction: {comment}", sign(brief_transaction(productId=value)), "product-id-mismatch")
    group.refused(
        "renewal info: another", sign(payloads.renewal_info(productId="com.example.app.other")), "product-id-mismatch"
    )
    group.refused(
        "realtime request: another", sign(realtime_request(productId="com.example.app.other")), "product-id-mismatch"
    )


def revoked(file):
    when = payloads.ms("2025-10-01")
    refusing = file.jws("Revoked purchases are refused", [ROOT], policy={"refusesRevoked": True})
    refusing.verified("not revoked", sign(brief_transaction()))
    refusing.verified("revocationDate null", sign(brief_transaction(revocationDate=None)), flags="Odd")
    refusing.refused(
        "revocationDate in the past",
        sign(brief_transaction(revocationDate=when, revocationReason=0)),
        "purchase-revoked",
    )
    refusing.refused("revocationDate alone", sign(brief_transaction(revocationDate=when)), "purchase-revoked")
    refusing.refused("revocationDate 0", sign(brief_transaction(revocationDate=0)), "purchase-revoked")
    accepting = file.jws("Revoked purchases are not refused", [ROOT])
    accepting.verified("revoked", sign(brief_transaction(revocationDate=when, revocationReason=1)))


def strict(file):
    full = {"apps": [APP], "environments": ["Production"], "strict": True}
    group = file.jws("Strict: apps and environments are asked for", [ROOT], policy=full)
    group.verified("transaction", sign(brief_transaction()))
    group.verified("app transaction", sign(app_transaction()), "appTransaction")
    group.verified("notification", sign(payloads.data_notification()), "notification")
    group.refused("renewal info has no bundle id", sign(payloads.renewal_info()), "unchecked-claim")
    group.refused("transaction without environment", sign(brief_transaction(environment=ABSENT)), "unchecked-claim")
    group.refused("realtime request, and the policy names no number", sign(realtime_request()), "unchecked-claim")
    group.refused(
        "another environment is still said as such", sign(brief_transaction(**SANDBOX)), "environment-mismatch"
    )
    group.refused(
        "another bundle id is still said as such",
        sign(brief_transaction(bundleId="com.example.other")),
        "bundle-id-mismatch",
    )
    for comment, policy in [
        ("no apps", {"environments": ["Production"]}),
        ("no environments", {"apps": [APP]}),
        ("neither", {}),
    ]:
        less = file.jws(f"Strict with {comment} asked for", [ROOT], policy={**policy, "strict": True})
        less.refused("transaction", sign(brief_transaction()), "unchecked-claim")
        less.refused("app transaction", sign(app_transaction()), "unchecked-claim")
    numbered = file.jws("Strict with a number", [ROOT], policy={**full, "apps": [APP_WITH_ID]})
    numbered.verified("app transaction", sign(app_transaction()), "appTransaction")
    numbered.verified("realtime request", sign(realtime_request()), "realtimeRequest")
    numbered.verified("notification", sign(payloads.data_notification()), "notification")
