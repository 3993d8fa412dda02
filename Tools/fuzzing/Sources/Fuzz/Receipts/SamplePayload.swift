/// Payloads in the stores' format, with invented values.
enum SamplePayload {
    /// The verifier's clock in all targets, 2025-10-09T08:53:21Z.
    static let now: Int64 = 1_760_000_001_000

    static let transaction = """
        {"transactionId":"2000000000000001","originalTransactionId":"2000000000000001","bundleId":"com.example.app",\
        "productId":"com.example.app.pro","purchaseDate":1759999995000,"originalPurchaseDate":1759999995000,\
        "quantity":1,"type":"Non-Consumable","appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f608138",\
        "inAppOwnershipType":"PURCHASED","signedDate":1760000000000,"environment":"Sandbox",\
        "transactionReason":"PURCHASE","storefront":"DEU","storefrontId":"143443","price":1990,"currency":"EUR"}
        """
    static let subscription = """
        {"transactionId":"2","originalTransactionId":"1","bundleId":"com.example.app","productId":"monthly",\
        "subscriptionGroupIdentifier":"9","expiresDate":1762600000000,"isUpgraded":false,"offerType":1,\
        "offerPeriod":"P1M","revocationDate":1760000000500,"revocationReason":0,"revocationPercentage":50000,\
        "signedDate":1760000000000.25,"environment":"Production","type":"Auto-Renewable Subscription",\
        "advancedCommerceInfo":{"descriptors":{"description":"d","displayName":"n"},"estimatedTax":10,\
        "items":[{"SKU":"s","price":5,"offer":{"period":"P1W","periodCount":1,"price":0,"reason":"ACQUISITION"},\
        "refunds":[{"refundAmount":1,"refundDate":1760000000000,"refundReason":"OTHER","refundType":"FULL"}]}],\
        "period":"P1M","taxRate":"0.1"},"commitmentInfo":{"billingPeriodNumber":1,"commitmentPrice":12000,\
        "commitmentExpiresDate":1790000000000,"totalBillingPeriods":12},"unknown":[null,true,1.5]}
        """
    static let renewalInfo = """
        {"originalTransactionId":"2000000000000001","autoRenewProductId":"monthly","productId":"monthly",\
        "autoRenewStatus":1,"expirationIntent":2,"renewalPrice":990,"currency":"EUR","signedDate":1760000000000,\
        "environment":"Sandbox","recentSubscriptionStartDate":1759999990000,"eligibleWinBackOfferIds":["a","b"],\
        "advancedCommerceInfo":{"items":[{"SKU":"s","priceIncreaseInfo":{"dependentSKUs":["t"],"price":1,\
        "status":"PENDING"}}]},"commitmentInfo":{"commitmentAutoRenewStatus":1,"commitmentRenewalPrice":990}}
        """
    static let appTransaction = """
        {"receiptType":"Production","appAppleId":1234567890,"bundleId":"com.example.app","applicationVersion":"7",\
        "versionExternalIdentifier":5,"receiptCreationDate":1760000000000,"originalPurchaseDate":1700000000000,\
        "originalApplicationVersion":"1","originalPlatform":"iOS","deviceVerification":"AAAA",\
        "deviceVerificationNonce":"7e3fb20b-4cdb-47cc-936d-99d65f608138"}
        """
    static let realtimeRequest = """
        {"originalTransactionId":"1","appAppleId":1234567890,"productId":"monthly","userLocale":"de_DE",\
        "requestIdentifier":"7e3fb20b-4cdb-47cc-936d-99d65f608138","signedDate":1760000000000,"environment":"Sandbox"}
        """
    /// Contains placeholders for the receipts inside, which `SignedJWSTarget` replaces.
    static let notification = """
        {"notificationType":"DID_RENEW","subtype":"BILLING_RECOVERY","version":"2.0","signedDate":1760000000000,\
        "notificationUUID":"7e3fb20b-4cdb-47cc-936d-99d65f608138","data":{"appAppleId":1234567890,\
        "bundleId":"com.example.app","bundleVersion":"7","environment":"Sandbox","status":1,\
        "signedTransactionInfo":"%T","signedRenewalInfo":"%R"}}
        """
    static let appData = """
        {"notificationType":"RESCIND_CONSENT","version":"2.0","signedDate":1760000000000,"notificationUUID":"u",\
        "appData":{"appAppleId":1234567890,"bundleId":"com.example.app","environment":"Production",\
        "signedAppTransactionInfo":"%A"}}
        """
    static let summary = """
        {"notificationType":"RENEWAL_EXTENSION","subtype":"SUMMARY","version":"2.0","signedDate":1760000000000,\
        "summary":{"environment":"Production","appAppleId":1234567890,"bundleId":"com.example.app",\
        "productId":"monthly","requestIdentifier":"r","storefrontCountryCodes":["DEU"],"succeededCount":5,\
        "failedCount":0}}
        """
    static let purchaseToken = """
        {"notificationType":"EXTERNAL_PURCHASE_TOKEN","subtype":"UNREPORTED","version":"2.0",\
        "signedDate":1760000000000,"externalPurchaseToken":{"externalPurchaseId":"SANDBOX_1",\
        "tokenCreationDate":1760000000000,"appAppleId":1234567890,"bundleId":"com.example.app"}}
        """
    static let playPurchase = """
        {"orderId":"GPA.1-2-3","packageName":"com.example.app","productId":"pro","purchaseTime":1760000000000,\
        "purchaseState":0,"purchaseToken":"token","quantity":1,"acknowledged":true,"autoRenewing":false,\
        "obfuscatedAccountId":"a"}
        """
}
