"""jws-claims.json: the caller's policy compared with the claims of the payload."""

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
    file = VectorFile("jws-claims.json", "bundle ID, app ID, environment, kind, product, revocation, strict mode")
    bundle_ids(file)
    app_apple_ids(file)
    environments(file)
    kinds(file)
    detection(file)
    products(file)
    revoked(file)
    strict(file)
    missing(file)
    return file


def bundle_ids(file):
    group = file.jws("The bundle ID must be equal, including case", [ROOT], policy={"apps": [APP]})
    group.verified("equal", sign(brief_transaction()))
    group.verified("app transaction, equal", sign(app_transaction()), "appTransaction")
    for comment, value in [
        ("different", "com.example.other"),
        ("different case", "com.example.App"),
        ("a prefix", "com.example"),
        ("with a suffix", "com.example.apps"),
        ("one more component", "com.example.app.watch"),
        ("trailing space", "com.example.app "),
        ("leading space", " com.example.app"),
        ("empty", ""),
        ("trailing line feed", "com.example.app\n"),
        ("a Cyrillic lookalike letter", "com.example.\u0430pp"),
        ("trailing zero-width space", "com.example.app\u200b"),
        ("a wildcard", "com.example.*"),
        ("fullwidth letters", "com.example.\uff41\uff50\uff50"),
    ]:
        group.refused(f"transaction: {comment}", sign(brief_transaction(bundleId=value)), "bundle-id-mismatch")
    group.refused("transaction: missing", sign(brief_transaction(bundleId=ABSENT)), "bundle-id-mismatch")
    group.refused("transaction: null", sign(brief_transaction(bundleId=None)), "bundle-id-mismatch")
    group.refused(
        "app transaction: different", sign(app_transaction(bundleId="com.example.other")), "bundle-id-mismatch"
    )
    group.refused("app transaction: missing", sign(app_transaction(bundleId=ABSENT)), "bundle-id-mismatch")
    group.verified("a renewal info has no bundleId", sign(payloads.renewal_info()), "renewalInfo")
    group.verified(
        "a bundleId in a renewal info is an unknown member",
        sign(payloads.renewal_info(bundleId="com.example.other")),
        "renewalInfo",
        "Odd",
    )
    group.verified("a realtime request has no bundleId", sign(realtime_request()), "realtimeRequest")
    several = file.jws(
        "The policy accepts several apps", [ROOT], policy={"apps": [OTHER_APP, APP, {"bundleId": "com.example.third"}]}
    )
    for bundle in ("com.example.other", BUNDLE_ID, "com.example.third"):
        several.verified(bundle, sign(brief_transaction(bundleId=bundle)))
    several.refused("com.example.fourth", sign(brief_transaction(bundleId="com.example.fourth")), "bundle-id-mismatch")
    nothing = file.jws("The policy names no app", [ROOT])
    nothing.verified("any bundle ID", sign(brief_transaction(bundleId="com.example.other")))
    nothing.verified("bundleId missing", sign(brief_transaction(bundleId=ABSENT)), flags="Odd")
    composed = file.jws(
        "Bundle IDs are compared without Unicode normalization",
        [ROOT],
        policy={"apps": [{"bundleId": "com.example.caf\u00e9"}]},
    )
    composed.verified(
        "the composed form, as in the policy", sign(brief_transaction(bundleId="com.example.caf\u00e9")), flags="Odd"
    )
    composed.refused(
        "the decomposed form", sign(brief_transaction(bundleId="com.example.cafe\u0301")), "bundle-id-mismatch"
    )


def app_apple_ids(file):
    group = file.jws(
        "The Apple ID of the app is compared where policy and receipt have one", [ROOT], policy={"apps": [APP_WITH_ID]}
    )
    group.verified("app transaction, equal", sign(app_transaction()), "appTransaction")
    group.verified("realtime request, equal", sign(realtime_request()), "realtimeRequest")
    group.verified("a transaction has no appAppleId", sign(brief_transaction()))
    group.verified(
        "app transaction of Sandbox, missing",
        sign(app_transaction(receiptType="Sandbox", appAppleId=ABSENT)),
        "appTransaction",
    )
    group.refused(
        "app transaction, different", sign(app_transaction(appAppleId=APP_APPLE_ID + 1)), "app-apple-id-mismatch"
    )
    group.refused("app transaction, 0", sign(app_transaction(appAppleId=0)), "app-apple-id-mismatch")
    group.refused("app transaction, negated", sign(app_transaction(appAppleId=-APP_APPLE_ID)), "app-apple-id-mismatch")
    group.refused(
        "app transaction, equal only in the low 32 bits",
        sign(app_transaction(appAppleId=APP_APPLE_ID + (1 << 32))),
        "app-apple-id-mismatch",
    )
    group.refused(
        "app transaction of Production, missing", sign(app_transaction(appAppleId=ABSENT)), "app-apple-id-mismatch"
    )
    group.refused(
        "app transaction of Sandbox, different",
        sign(app_transaction(receiptType="Sandbox", appAppleId=1)),
        "app-apple-id-mismatch",
    )
    group.refused(
        "app transaction, equal with a different bundle ID",
        sign(app_transaction(bundleId="com.example.other")),
        "bundle-id-mismatch",
    )
    group.refused("realtime request, different", sign(realtime_request(appAppleId=1)), "app-apple-id-mismatch")
    two = [APP_WITH_ID, {"bundleId": "com.example.other", "appAppleId": 2}]
    pairs = file.jws("Bundle ID and Apple ID must match the same app", [ROOT], policy={"apps": two})
    pairs.verified("the first app", sign(app_transaction()), "appTransaction")
    pairs.verified(
        "the second app", sign(app_transaction(bundleId="com.example.other", appAppleId=2)), "appTransaction"
    )
    pairs.verified("realtime request of the second app", sign(realtime_request(appAppleId=2)), "realtimeRequest")
    pairs.refused(
        "the bundle ID of the first app with the Apple ID of the second",
        sign(app_transaction(appAppleId=2)),
        "app-apple-id-mismatch",
    )
    same = file.jws(
        "One bundle ID with two Apple IDs",
        [ROOT],
        policy={"apps": [{"bundleId": BUNDLE_ID, "appAppleId": 1}, APP_WITH_ID]},
    )
    same.verified("the second Apple ID", sign(app_transaction()), "appTransaction")
    same.refused("a third Apple ID", sign(app_transaction(appAppleId=3)), "app-apple-id-mismatch")
    without = file.jws("The policy names no Apple ID", [ROOT], policy={"apps": [APP]})
    without.verified("any Apple ID", sign(app_transaction(appAppleId=1)), "appTransaction")
    without.verified("no Apple ID in Production", sign(app_transaction(appAppleId=ABSENT)), "appTransaction")


def environments(file):
    group = file.jws("The policy accepts Production only", [ROOT], policy={"environments": ["Production"]})
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
    group.verified(
        "transaction: environment missing, as in receipts of 2021",
        sign(brief_transaction(environment=ABSENT)),
        flags="Odd",
    )
    group.verified(
        "renewal info: environment missing, as in receipts of 2021",
        sign(payloads.renewal_info(environment=ABSENT)),
        "renewalInfo",
        "Odd",
    )
    group.verified("transaction: environment null", sign(brief_transaction(environment=None)), flags="Odd")
    group.refused(
        "app transaction: receiptType missing", sign(app_transaction(receiptType=ABSENT)), "environment-mismatch"
    )
    group.refused(
        "app transaction: receiptType counts, not environment",
        sign(app_transaction(receiptType="Sandbox", environment="Production")),
        "environment-mismatch",
    )
    group.refused(
        "realtime request: environment missing", sign(realtime_request(environment=ABSENT)), "environment-mismatch"
    )
    both = file.jws(
        "The policy accepts Production and Sandbox", [ROOT], policy={"environments": ["Production", "Sandbox"]}
    )
    for value in ("Production", "Sandbox"):
        both.verified(f"transaction: {value}", sign(brief_transaction(environment=value)))
    both.refused("transaction: Xcode", sign(brief_transaction(environment="Xcode")), "environment-mismatch")
    sandbox = file.jws("The policy accepts Sandbox only", [ROOT], policy={"environments": ["Sandbox"]})
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
        group = file.jws(f"The policy accepts the kind {wanted} only", [ROOT], policy={"kinds": [wanted]})
        for kind, payload in samples().items():
            if kind == wanted:
                group.verified(kind, sign(payload), kind)
            else:
                group.refused(f"{kind} instead", sign(payload), "kind-mismatch")
    two = file.jws(
        "The policy accepts transactions and renewal infos", [ROOT], policy={"kinds": ["transaction", "renewalInfo"]}
    )
    two.verified("renewalInfo", sign(payloads.renewal_info()), "renewalInfo")
    two.refused("appTransaction", sign(app_transaction()), "kind-mismatch")


def detection(file):
    group = file.jws("The members determine the kind; the first matching rule wins", [ROOT])
    when = {"signedDate": payloads.SIGNED}
    for comment, kind, payload in [
        ("only notificationType", "notification", {"notificationType": "TEST"}),
        ("only notificationUUID", "notification", {"notificationUUID": "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"}),
        ("only receiptType", "appTransaction", {"receiptType": "Production"}),
        ("requestIdentifier and userLocale", "realtimeRequest", realtime_request()),
        ("only autoRenewStatus", "renewalInfo", {"autoRenewStatus": 0}),
        ("only autoRenewProductId", "renewalInfo", {"autoRenewProductId": PRODUCT_ID}),
        ("only expirationIntent", "renewalInfo", {"expirationIntent": 1}),
        ("only transactionId", "transaction", {"transactionId": "1"}),
        ("transactionId and autoRenewStatus", "renewalInfo", {"transactionId": "1", "autoRenewStatus": 1}),
        ("transactionId and notificationType", "notification", {"transactionId": "1", "notificationType": "TEST"}),
        ("transactionId and receiptType", "appTransaction", {"transactionId": "1", "receiptType": "Production"}),
        ("notificationType and receiptType", "notification", {"receiptType": "Production", "notificationType": "TEST"}),
        ("autoRenewStatus and receiptType", "appTransaction", {"autoRenewStatus": 1, "receiptType": "Production"}),
        (
            "transactionId and originalTransactionId",
            "transaction",
            {"transactionId": "1", "originalTransactionId": "1"},
        ),
    ]:
        timed = {**payload, "receiptCreationDate": payloads.SIGNED} if kind == "appTransaction" else {**when, **payload}
        group.verified(comment, sign(timed), kind, "Odd")
    group.verified("only receiptCreationDate", sign({"receiptCreationDate": payloads.SIGNED}), "appTransaction", "Odd")
    group.refused("only originalTransactionId", sign({**when, "originalTransactionId": "1"}), "kind-unrecognized")
    group.refused("only userLocale", sign({**when, "userLocale": "en"}), "kind-unrecognized")


def products(file):
    group = file.jws(
        "The policy accepts two products", [ROOT], policy={"productIds": [PRODUCT_ID, "com.example.app.coins"]}
    )
    group.verified("transaction of the first product", sign(brief_transaction()))
    group.verified("transaction of the second product", sign(brief_transaction(productId="com.example.app.coins")))
    group.verified("renewal info of the first product", sign(payloads.renewal_info()), "renewalInfo")
    group.verified("realtime request of the first product", sign(realtime_request()), "realtimeRequest")
    group.verified("an app transaction has no product", sign(app_transaction()), "appTransaction")
    for comment, value in [
        ("different product", "com.example.app.other"),
        ("different case", PRODUCT_ID.upper()),
        ("a prefix", "com.example.app"),
        ("empty", ""),
    ]:
        group.refused(f"transaction: {comment}", sign(brief_transaction(productId=value)), "product-id-mismatch")
    group.refused(
        "renewal info: different product",
        sign(payloads.renewal_info(productId="com.example.app.other")),
        "product-id-mismatch",
    )
    group.refused(
        "realtime request: different product",
        sign(realtime_request(productId="com.example.app.other")),
        "product-id-mismatch",
    )


def revoked(file):
    when = payloads.ms("2025-10-01")
    refusing = file.jws("The policy refuses revoked purchases", [ROOT], policy={"refusesRevoked": True})
    refusing.verified("not revoked", sign(brief_transaction()))
    refusing.verified("revocationDate null", sign(brief_transaction(revocationDate=None)), flags="Odd")
    refusing.refused(
        "revocationDate in the past",
        sign(brief_transaction(revocationDate=when, revocationReason=0)),
        "purchase-revoked",
    )
    refusing.refused(
        "revocationDate without revocationReason", sign(brief_transaction(revocationDate=when)), "purchase-revoked"
    )
    refusing.refused("revocationDate 0", sign(brief_transaction(revocationDate=0)), "purchase-revoked")
    accepting = file.jws("The policy accepts revoked purchases", [ROOT])
    accepting.verified("revoked", sign(brief_transaction(revocationDate=when, revocationReason=1)))


def strict(file):
    full = {"apps": [APP], "environments": ["Production"], "strict": True}
    group = file.jws("Strict policy with apps and environments", [ROOT], policy=full)
    group.verified("transaction", sign(brief_transaction()))
    group.verified("app transaction", sign(app_transaction()), "appTransaction")
    group.verified("notification", sign(payloads.data_notification()), "notification")
    group.refused("a renewal info has no bundleId", sign(payloads.renewal_info()), "unchecked-claim")
    group.refused("transaction, environment missing", sign(brief_transaction(environment=ABSENT)), "unchecked-claim")
    group.refused("realtime request, the policy names no Apple ID", sign(realtime_request()), "unchecked-claim")
    group.refused(
        "a different environment is reported as a mismatch", sign(brief_transaction(**SANDBOX)), "environment-mismatch"
    )
    group.refused(
        "a different bundle ID is reported as a mismatch",
        sign(brief_transaction(bundleId="com.example.other")),
        "bundle-id-mismatch",
    )
    for comment, policy in [
        ("without apps", {"environments": ["Production"]}),
        ("without environments", {"apps": [APP]}),
        ("without apps and environments", {}),
    ]:
        less = file.jws(f"Strict policy {comment}", [ROOT], policy={**policy, "strict": True})
        less.refused("transaction", sign(brief_transaction()), "unchecked-claim")
        less.refused("app transaction", sign(app_transaction()), "unchecked-claim")
    numbered = file.jws(
        "Strict policy with apps, Apple IDs and environments", [ROOT], policy={**full, "apps": [APP_WITH_ID]}
    )
    numbered.verified("app transaction", sign(app_transaction()), "appTransaction")
    numbered.verified("realtime request", sign(realtime_request()), "realtimeRequest")
    numbered.verified("notification", sign(payloads.data_notification()), "notification")


def missing(file):
    """Adds the claims that the policy requires and that the receipt does not have."""
    product = {"productIds": [PRODUCT_ID]}
    test = {"notificationType": "TEST", "data": payloads.data(status=ABSENT)}

    def with_nested(inner):
        return payloads.data_notification(signedTransactionInfo=sign(inner))

    cases = [
        ("app transaction", app_transaction(), "appTransaction", ["productId"]),
        ("transaction, productId missing", brief_transaction(productId=ABSENT), "transaction", ["productId"]),
        ("transaction, productId null", brief_transaction(productId=None), "transaction", ["productId"]),
        (
            "renewal info, only autoRenewProductId",
            payloads.renewal_info(productId=ABSENT),
            "renewalInfo",
            ["productId"],
        ),
        ("realtime request, productId missing", realtime_request(productId=ABSENT), "realtimeRequest", ["productId"]),
        ("TEST notification", payloads.notification(**test), "notification", ["productId"]),
        (
            "notification about a transaction without productId",
            with_nested(brief_transaction(productId=ABSENT)),
            "notification",
            ["productId"],
        ),
        ("notification about a transaction of the product", with_nested(brief_transaction()), "notification", []),
        ("transaction of the product", brief_transaction(), "transaction", []),
    ]
    group = file.jws("A required product that the receipt does not name is reported as missing", [ROOT], policy=product)
    for comment, payload, kind, claims in cases:
        group.verified(comment, sign(payload), kind, "Odd" if claims else "Valid", missing=claims)
    full = {"apps": [APP_WITH_ID], "environments": ["Production"], **product, "strict": True}
    strict_group = file.jws("A strict policy rejects a receipt without a required product", [ROOT], policy=full)
    for comment, payload, kind, claims in cases:
        if kind == "renewalInfo":
            continue
        if claims:
            strict_group.refused(comment, sign(payload), "unchecked-claim")
        else:
            strict_group.verified(comment, sign(payload), kind)
    strict_group.refused(
        "a nested receipt of another app is reported before a missing claim",
        sign(with_nested(brief_transaction(productId=ABSENT, bundleId="com.example.other"))),
        "nested-unverified",
        "Order",
    )
    apps = file.jws("A required app that the receipt does not name is reported as missing", [ROOT], policy={"apps": [APP]})
    apps.verified("renewal info", sign(payloads.renewal_info()), "renewalInfo", "Odd", missing=["bundleId"])
    apps.verified("realtime request", sign(realtime_request()), "realtimeRequest", "Odd", missing=["bundleId"])
    apps.verified("app transaction", sign(app_transaction()), "appTransaction", missing=[])
    numbers = file.jws(
        "A required Apple ID that the receipt does not name is reported as missing", [ROOT], policy={"apps": [APP_WITH_ID]}
    )
    numbers.verified("transaction", sign(brief_transaction()), "transaction", "Odd", missing=["appAppleId"])
    numbers.verified("realtime request", sign(realtime_request()), "realtimeRequest", missing=[])
    production = file.jws(
        "A required environment that the receipt does not name is reported as missing",
        [ROOT],
        policy={"environments": ["Production"]},
    )
    production.verified(
        "transaction of 2021", sign(brief_transaction(environment=ABSENT)), "transaction", "Odd", missing=["environment"]
    )
    refusing = file.jws(
        "A revocation that the receipt cannot show is reported as missing", [ROOT], policy={"refusesRevoked": True}
    )
    refusing.verified("transaction", sign(brief_transaction()), missing=[])
    for comment, payload, kind in [
        ("renewal info", payloads.renewal_info(), "renewalInfo"),
        ("app transaction", app_transaction(), "appTransaction"),
        ("realtime request", realtime_request(), "realtimeRequest"),
        ("notification about a transaction", with_nested(brief_transaction()), "notification"),
    ]:
        refusing.verified(comment, sign(payload), kind, "Odd", missing=["revocationDate"])
