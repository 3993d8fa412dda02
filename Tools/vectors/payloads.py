"""Payloads of every kind with invented values; each function takes the members to change, and ABSENT removes one."""

from datetime import timezone

from .certs import date

ABSENT = object()
BUNDLE_ID = "com.example.app"
APP_APPLE_ID = 6400000001
PRODUCT_ID = "com.example.app.premium.monthly"
ORIGINAL_ID = "200000000000001"


def ms(text):
    """Returns the milliseconds since 1970 of YYYY-MM-DD or an RFC 3339 time."""
    return int(date(text).astimezone(timezone.utc).timestamp()) * 1000


SIGNED = ms("2025-10-01T12:00:00Z") + 123


def changed(base, changes):
    merged = {**base, **changes}
    return {name: value for name, value in merged.items() if value is not ABSENT}


def transaction(**changes):
    return changed(
        {
            "transactionId": "200000000000042",
            "originalTransactionId": ORIGINAL_ID,
            "webOrderLineItemId": "200000000000077",
            "bundleId": BUNDLE_ID,
            "productId": PRODUCT_ID,
            "subscriptionGroupIdentifier": "20990001",
            "purchaseDate": ms("2025-10-01T11:59:00Z"),
            "originalPurchaseDate": ms("2025-09-01T11:59:00Z"),
            "expiresDate": ms("2025-11-01T11:59:00Z"),
            "quantity": 1,
            "type": "Auto-Renewable Subscription",
            "inAppOwnershipType": "PURCHASED",
            "signedDate": SIGNED,
            "environment": "Production",
            "transactionReason": "RENEWAL",
            "storefront": "USA",
            "storefrontId": "143441",
            "price": 4990,
            "currency": "USD",
            "appTransactionId": "700000000000000001",
        },
        changes,
    )


def brief_transaction(**changes):
    """Returns a transaction with the essential members only, for vectors that test something else."""
    return changed(
        {
            "transactionId": "200000000000042",
            "originalTransactionId": ORIGINAL_ID,
            "bundleId": BUNDLE_ID,
            "productId": PRODUCT_ID,
            "signedDate": SIGNED,
            "environment": "Production",
            "price": 4990,
        },
        changes,
    )


def renewal_info(**changes):
    return changed(
        {
            "originalTransactionId": ORIGINAL_ID,
            "autoRenewProductId": PRODUCT_ID,
            "productId": PRODUCT_ID,
            "autoRenewStatus": 1,
            "renewalPrice": 4990,
            "currency": "USD",
            "signedDate": SIGNED,
            "environment": "Production",
            "recentSubscriptionStartDate": ms("2025-09-01T11:59:00Z"),
            "renewalDate": ms("2025-11-01T11:59:00Z"),
            "appTransactionId": "700000000000000001",
        },
        changes,
    )


def app_transaction(**changes):
    return changed(
        {
            "receiptType": "Production",
            "appAppleId": APP_APPLE_ID,
            "bundleId": BUNDLE_ID,
            "applicationVersion": "42",
            "versionExternalIdentifier": 860000001,
            "receiptCreationDate": SIGNED,
            "originalPurchaseDate": ms("2024-02-03T04:05:06Z"),
            "originalApplicationVersion": "17",
            "deviceVerification": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4v",
            "deviceVerificationNonce": "0f1e2d3c-4b5a-4697-8899-aabbccddeeff",
            "appTransactionId": "700000000000000001",
            "originalPlatform": "iOS",
        },
        changes,
    )


def realtime_request(**changes):
    return changed(
        {
            "originalTransactionId": ORIGINAL_ID,
            "appAppleId": APP_APPLE_ID,
            "productId": PRODUCT_ID,
            "userLocale": "en-US",
            "requestIdentifier": "11111111-2222-4333-8444-555555555555",
            "environment": "Production",
            "signedDate": SIGNED,
        },
        changes,
    )


def data(**changes):
    return changed(
        {
            "appAppleId": APP_APPLE_ID,
            "bundleId": BUNDLE_ID,
            "bundleVersion": "42",
            "environment": "Production",
            "status": 1,
        },
        changes,
    )


def summary(**changes):
    return changed(
        {
            "environment": "Production",
            "appAppleId": APP_APPLE_ID,
            "bundleId": BUNDLE_ID,
            "productId": PRODUCT_ID,
            "requestIdentifier": "99999999-aaaa-4bbb-8ccc-dddddddddddd",
            "storefrontCountryCodes": ["USA", "CAN"],
            "succeededCount": 5,
            "failedCount": 1,
        },
        changes,
    )


def external_token(**changes):
    return changed(
        {
            "externalPurchaseId": "00000000-1111-4222-8333-444444444444",
            "tokenCreationDate": SIGNED - 60000,
            "appAppleId": APP_APPLE_ID,
            "bundleId": BUNDLE_ID,
        },
        changes,
    )


def app_data(**changes):
    return changed({"appAppleId": APP_APPLE_ID, "bundleId": BUNDLE_ID, "environment": "Production"}, changes)


def notification(**changes):
    """Returns a notification without `data`, `summary`, `externalPurchaseToken` and `appData`."""
    return changed(
        {
            "notificationType": "DID_RENEW",
            "notificationUUID": "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
            "version": "2.0",
            "signedDate": SIGNED,
        },
        changes,
    )


def data_notification(**changes):
    """Returns a notification about a subscription, with these changes to its `data`."""
    return notification(data=data(**changes))
