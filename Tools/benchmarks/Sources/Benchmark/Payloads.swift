/// Payloads with the claims that the App Store usually sends, distinct by their number.
enum Payloads {
    /// The bundle ID and package name of every receipt.
    static let application = "com.example.application"

    /// Returns the renewal of a monthly subscription with an offer.
    static func transaction(_ number: Int) -> [UInt8] {
        let text = """
            {"transactionId":"\(2_000_000_800_000_000 + number)","originalTransactionId":"2000000712345678",\
            "webOrderLineItemId":"\(2_000_000_090_000_000 + number)","bundleId":"com.example.application",\
            "productId":"com.example.application.premium.monthly","subscriptionGroupIdentifier":"21234567",\
            "purchaseDate":1759999000000,"originalPurchaseDate":1750000000000,"expiresDate":1762591000000,"quantity":1,\
            "type":"Auto-Renewable Subscription","appAccountToken":"\(uuid(number))","inAppOwnershipType":"PURCHASED",\
            "signedDate":1760000000000,"environment":"Production","transactionReason":"RENEWAL","storefront":"USA",\
            "storefrontId":"143441","offerType":2,"offerDiscountType":"PAY_AS_YOU_GO",\
            "offerPeriod":"P1M","price":9990,"currency":"USD","appTransactionId":"704000000000000001"}
            """
        return [UInt8](text.utf8)
    }

    /// Returns the renewal info of that subscription.
    static func renewalInfo(_ number: Int) -> [UInt8] {
        let text = """
            {"originalTransactionId":"2000000712345678","autoRenewProductId":"com.example.application.premium.monthly",\
            "productId":"com.example.application.premium.monthly","autoRenewStatus":1,"renewalPrice":9990,\
            "currency":"USD","signedDate":1760000000000,"environment":"Production",\
            "recentSubscriptionStartDate":1750000000000,"renewalDate":1762591000000,\
            "appAccountToken":"\(uuid(number))","appTransactionId":"704000000000000001"}
            """
        return [UInt8](text.utf8)
    }

    /// Returns the UUID of a number.
    static func uuid(_ number: Int) -> String {
        let digits = String(number + 0x1000_0000_0000, radix: 16)
        return "7e3fb20b-4cdb-47cc-936d-\(digits.suffix(12))"
    }
}
