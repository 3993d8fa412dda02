"""jws-claim-types.json: one known member of the wrong JSON type in each vector."""

from .. import payloads
from ..authority import ROOT
from ..jws import sign
from ..vectorfile import VectorFile

TEXT, NUMBER, FLAG, LIST, OBJECT = "text", 7, True, [], {}

TRANSACTION = {
    "transactionId": [NUMBER, FLAG],
    "originalTransactionId": [NUMBER, LIST],
    "previousOriginalTransactionId": [FLAG, 1.5, LIST],
    "webOrderLineItemId": [NUMBER],
    "bundleId": [NUMBER, OBJECT],
    "productId": [NUMBER, LIST],
    "subscriptionGroupIdentifier": [NUMBER],
    "purchaseDate": ["1759319940000", FLAG],
    "originalPurchaseDate": [TEXT],
    "expiresDate": ["2025-11-01", LIST],
    "quantity": ["1", 1.5, 2147483648, -2147483649],
    "type": [NUMBER],
    "appAccountToken": [NUMBER],
    "inAppOwnershipType": [FLAG],
    "revocationReason": ["0"],
    "revocationDate": [TEXT],
    "isUpgraded": [1, "true"],
    "offerType": ["1", 1.5],
    "offerIdentifier": [NUMBER],
    "environment": [NUMBER, LIST],
    "storefront": [NUMBER],
    "storefrontId": [143441],
    "transactionReason": [NUMBER],
    "currency": [OBJECT],
    "price": ["4990", 4990.5, FLAG],
    "offerDiscountType": [NUMBER],
    "appTransactionId": [700000000000000001],
    "offerPeriod": [NUMBER],
    "revocationType": [NUMBER],
    "revocationPercentage": ["50000"],
    "billingPlanType": [FLAG],
    "advancedCommerceInfo": [TEXT, LIST],
    "commitmentInfo": [TEXT, NUMBER],
}
COMMITMENT = {
    "billingPeriodNumber": ["1", 2147483648],
    "commitmentExpiresDate": [TEXT],
    "commitmentPrice": [TEXT],
    "totalBillingPeriods": [1.5],
}
COMMERCE = {
    "estimatedTax": [TEXT],
    "items": [OBJECT, [TEXT]],
    "period": [NUMBER],
    "requestReferenceId": [NUMBER],
    "taxCode": [NUMBER],
    "taxExclusivePrice": [TEXT],
    "taxRate": [0.2],
    "descriptors": [TEXT],
}
ITEM = {
    "SKU": [NUMBER],
    "description": [NUMBER],
    "displayName": [LIST],
    "price": [TEXT],
    "refunds": [OBJECT],
    "revocationDate": [TEXT],
    "offer": [TEXT],
}
REFUND = {"refundAmount": [TEXT], "refundDate": [TEXT], "refundReason": [NUMBER], "refundType": [NUMBER]}
OFFER = {"period": [NUMBER], "periodCount": ["1", 2147483648], "price": [TEXT], "reason": [NUMBER]}
GOOD_OFFER = {"period": "P1M", "periodCount": 3, "price": 990, "reason": "ACQUISITION"}
RENEWAL = {
    "expirationIntent": ["1"],
    "originalTransactionId": [NUMBER],
    "autoRenewProductId": [NUMBER],
    "productId": [NUMBER],
    "autoRenewStatus": ["1", FLAG],
    "isInBillingRetryPeriod": [0],
    "priceIncreaseStatus": [TEXT],
    "gracePeriodExpiresDate": [TEXT],
    "environment": [NUMBER],
    "recentSubscriptionStartDate": [TEXT],
    "renewalDate": [FLAG],
    "currency": [NUMBER],
    "renewalPrice": ["4990"],
    "eligibleWinBackOfferIds": [TEXT, [1]],
    "appAccountToken": [LIST],
    "commitmentInfo": [LIST],
    "renewalBillingPlanType": [NUMBER],
    "advancedCommerceInfo": [NUMBER],
}
RENEWAL_COMMITMENT = {
    "commitmentAutoRenewProductId": [NUMBER],
    "commitmentAutoRenewStatus": ["1"],
    "commitmentRenewalDate": [TEXT],
    "commitmentRenewalPrice": [TEXT],
}
RENEWAL_ITEM = {"price": [TEXT], "priceIncreaseInfo": [TEXT]}
PRICE_INCREASE = {"dependentSKUs": [TEXT, [7]], "price": [TEXT], "status": [NUMBER]}
APP = {
    "receiptType": [NUMBER],
    "appAppleId": ["6400000001", 1.5],
    "bundleId": [NUMBER],
    "applicationVersion": [42],
    "versionExternalIdentifier": [TEXT],
    "originalPurchaseDate": [TEXT],
    "originalApplicationVersion": [17],
    "deviceVerification": [NUMBER],
    "preorderDate": [TEXT],
    "appTransactionId": [NUMBER],
    "originalPlatform": [NUMBER],
}
REALTIME = {
    "originalTransactionId": [NUMBER],
    "appAppleId": ["6400000001"],
    "productId": [NUMBER],
    "userLocale": [NUMBER],
    "requestIdentifier": [NUMBER],
    "environment": [NUMBER],
}
NOTIFICATION = {
    "notificationType": [NUMBER],
    "subtype": [NUMBER],
    "notificationUUID": [NUMBER],
    "version": [2.0],
    "data": [TEXT, LIST],
}
DATA = {
    "environment": [NUMBER],
    "appAppleId": ["6400000001"],
    "bundleId": [NUMBER],
    "bundleVersion": [42],
    "signedTransactionInfo": [NUMBER, OBJECT],
    "signedRenewalInfo": [LIST],
    "status": ["1"],
    "consumptionRequestReason": [NUMBER],
}
SUMMARY = {
    "environment": [NUMBER],
    "appAppleId": [TEXT],
    "bundleId": [NUMBER],
    "productId": [NUMBER],
    "requestIdentifier": [NUMBER],
    "storefrontCountryCodes": [TEXT, [1]],
    "succeededCount": [TEXT],
    "failedCount": [1.5],
}
TOKEN = {
    "externalPurchaseId": [NUMBER],
    "tokenCreationDate": [TEXT],
    "tokenType": [NUMBER],
    "tokenExpirationDate": [TEXT, LIST],
    "appAppleId": [TEXT],
    "bundleId": [NUMBER],
}
APP_DATA = {"appAppleId": [TEXT], "bundleId": [NUMBER], "environment": [NUMBER], "signedAppTransactionInfo": [NUMBER]}


def build():
    file = VectorFile("jws-claim-types.json", "known members of the wrong JSON type, for every payload model")
    group = file.jws("Known members must have the right JSON type", [ROOT])
    brief = payloads.brief_transaction
    commerce = {"requestReferenceId": "r-1", "items": [{"SKU": "sku-1", "price": 990, "offer": GOOD_OFFER}]}
    group.verified(
        "transaction with every nested object, all types right",
        sign(brief(advancedCommerceInfo=commerce, commitmentInfo={"billingPeriodNumber": 1, "commitmentPrice": 990})),
    )
    group.verified(
        "transaction whose previousOriginalTransactionId is a string",
        sign(brief(previousOriginalTransactionId="1000000000000001")),
    )
    group.verified(
        "transaction whose previousOriginalTransactionId is a number",
        sign(brief(previousOriginalTransactionId=1000000000000001)),
    )
    group.verified(
        "transaction with every nested object null", sign(brief(advancedCommerceInfo=None, commitmentInfo=None))
    )
    models = [
        ("transaction", TRANSACTION, lambda change: brief(**change)),
        ("commitmentInfo", COMMITMENT, lambda change: brief(commitmentInfo=change)),
        ("advancedCommerceInfo", COMMERCE, lambda change: brief(advancedCommerceInfo=change)),
        ("advancedCommerceInfo.items[0]", ITEM, lambda change: brief(advancedCommerceInfo={"items": [change]})),
        (
            "advancedCommerceInfo.items[0].refunds[0]",
            REFUND,
            lambda change: brief(advancedCommerceInfo={"items": [{"refunds": [change]}]}),
        ),
        (
            "advancedCommerceInfo.items[0].offer",
            OFFER,
            lambda change: brief(advancedCommerceInfo={"items": [{"offer": {**GOOD_OFFER, **change}}]}),
        ),
        ("renewal info", RENEWAL, lambda change: short_renewal(**change)),
        ("renewal info's commitmentInfo", RENEWAL_COMMITMENT, lambda change: short_renewal(commitmentInfo=change)),
        (
            "renewal info's advancedCommerceInfo.items[0]",
            RENEWAL_ITEM,
            lambda change: short_renewal(advancedCommerceInfo={"items": [change]}),
        ),
        (
            "renewal info's advancedCommerceInfo.items[0].priceIncreaseInfo",
            PRICE_INCREASE,
            lambda change: short_renewal(advancedCommerceInfo={"items": [{"priceIncreaseInfo": change}]}),
        ),
        ("app transaction", APP, lambda change: short_app(**change)),
        ("realtime request", REALTIME, lambda change: payloads.realtime_request(**change)),
        ("notification", NOTIFICATION, lambda change: payloads.notification(**{"data": payloads.data(), **change})),
        ("notification's data", DATA, lambda change: payloads.data_notification(**change)),
        ("notification's summary", SUMMARY, lambda change: payloads.notification(summary=payloads.summary(**change))),
        (
            "notification's externalPurchaseToken",
            TOKEN,
            lambda change: payloads.notification(externalPurchaseToken=payloads.external_token(**change)),
        ),
        ("notification's appData", APP_DATA, lambda change: payloads.notification(appData=payloads.app_data(**change))),
    ]
    for model, members, make in models:
        for name, wrong in members.items():
            for value in wrong:
                group.refused(f"{model}: {name} is {described(value)}", sign(make({name: value})), "claim-type")
    others(group, brief)
    return file


def others(group, brief):
    """Adds a flaw in a later list element, and strings in place of the objects of a notification."""
    group.refused(
        "advancedCommerceInfo.items[1]: price is a string",
        sign(brief(advancedCommerceInfo={"items": [{"price": 990}, {"price": "990"}]})),
        "claim-type",
    )
    for name in ("summary", "externalPurchaseToken", "appData"):
        group.refused(f"notification: {name} is a string", sign(payloads.notification(**{name: "text"})), "claim-type")


def short_renewal(**changes):
    base = {
        "originalTransactionId": payloads.ORIGINAL_ID,
        "autoRenewProductId": payloads.PRODUCT_ID,
        "autoRenewStatus": 1,
        "signedDate": payloads.SIGNED,
    }
    return {**base, **changes}


def short_app(**changes):
    base = {"receiptType": "Production", "bundleId": payloads.BUNDLE_ID, "receiptCreationDate": payloads.SIGNED}
    return {**base, **changes}


def described(value):
    names = {str: "a string", bool: "a boolean", list: "an array", dict: "an object"}
    known = names.get(type(value))
    if isinstance(value, list) and value:
        return f"an array that contains {described(value[0])}"
    return known or f"the number {value}"
