import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

/// Hand-written files are read as they were meant.
struct LenientReadingTests {
    private func read(_ text: String) throws -> StoreConfiguration {
        try StoreConfiguration(reading: Array(text.utf8))
    }

    private func price(_ json: String) throws -> Milliunits? {
        try read(#"{"products":[{"productID":"a","type":"Consumable","displayPrice":\#(json)}]}"#).products.first?.price
    }

    @Test("a file with common mistakes is read as it was meant")
    func handwritten() throws {
        let store = try StorekitFixture.configuration("Handwritten")
        #expect(store.version == .init(major: 4, minor: 0))
        #expect(store.products.map(\.type) == [.autoRenewableSubscription, .nonConsumable])
        #expect(store.products.map(\.price) == [4990, 990].map { Milliunits($0) })
        #expect(
            store.products[0].subscription
                == ConfiguredSubscription(groupID: "lantern-plus", level: 1, period: .month)
        )
        #expect(store.groups == [SubscriptionGroup(id: "lantern-plus", name: "lantern-plus")])
        #expect(store.settings.timeRate == TimeRate(rawValue: 6))
        #expect(store.settings.storefront == "USA")
    }

    @Test("prices are exact, as strings and as JSON numbers, and an unreadable price is zero")
    func prices() throws {
        let prices: [(String, Int64)] = [
            (#""39.99""#, 39990), ("39.99", 39990), ("0.1", 100), (#""5900""#, 5_900_000), (#""12.000000""#, 12000),
            (#""0,99""#, 990), (#""$4.99""#, 4990), (#""4,99 €""#, 4990), (#""1,000""#, 0), (#""""#, 0), (#""-1""#, 0),
            (#""0.0009""#, 0), (#""1.2345""#, 1234), ("1e2", 0), ("{}", 0), (#""1.2.3""#, 0), (#""٣""#, 0),
            (#""9223372036854775807""#, 1_000_000_000_000_000),
            (#""99999999999999999999999.5""#, 1_000_000_000_000_000),
        ]
        for (json, thousandths) in prices {
            #expect(try price(json) == Milliunits(thousandths), "\(json)")
        }
    }

    @Test("a version is read from an array, a number and a string")
    func versions() throws {
        for (json, major, minor) in [("[3, 1]", 3, 1), ("[5]", 5, 0), ("2", 2, 0), (#""3.0""#, 3, 0), ("4.1", 4, 1)] {
            let store = try read(#"{"version":\#(json)}"#)
            #expect(store.version == .init(major: major, minor: minor), "\(json)")
        }
        for json in ["[]", "null", #""new""#, "true", #"["a"]"#, "{}", "[1,2,3,4]"] {
            #expect(
                try read(#"{"version":\#(json)}"#).version
                    == .init(major: json == "[1,2,3,4]" ? 1 : 4, minor: json == "[1,2,3,4]" ? 2 : 0), "\(json)")
        }
    }

    @Test("a file without settings has the default settings")
    func noSettings() throws {
        #expect(try read("{}").settings == StoreSettings())
        #expect(try read(#"{"settings":{}}"#).settings == StoreSettings())
    }

    @Test("the old keys for failing purchases are read")
    func oldErrors() throws {
        let on = try read(#"{"settings":{"_failTransactionsEnabled":true,"_storeKitError":2}}"#)
        #expect(on.settings.simulatedErrors == [.purchase: "2"])
        let off = try read(#"{"settings":{"_failTransactionsEnabled":false,"_storeKitError":2}}"#)
        #expect(off.settings.simulatedErrors == [:])
    }

    @Test("the enabled errors are read from strings, numbers and objects")
    func simulatedErrors() throws {
        let text = #"""
            {"settings":{"_storeKitErrors":[
            {"name":"Load Products","enabled":true,"current":"network"},
            {"name":"Purchase","enabled":true,"current":3},
            {"name":"Verification","enabled":false,"current":"x"},
            {"name":"App Transaction","enabled":true,"current":{}}
            ]}}
            """#
        #expect(
            try read(text).settings.simulatedErrors == [
                .loadProducts: "network", .purchase: "3", .appTransaction: "unknown",
            ]
        )
    }

    @Test("a time rate is read from a number, a string, _subscriptionRenewalRate and the rate for older readers")
    func timeRates() throws {
        for (json, rate) in [
            (#""_timeRate":1005"#, 1005), (#""_timeRate":"11""#, 11), (#""_timeRate":"fast""#, 0),
            (#""_subscriptionRenewalRate":4"#, 4), (#""_subscriptionRenewalRate":"hourly""#, 0),
            (#""_timeRate":2,"_subscriptionRenewalRate":4"#, 2),
            (#""_timeRate":2000,"_compatibilityTimeRate":{"3":6}"#, 6), (#""_timeRate":null"#, 0),
            (#""_timeRate":9.0"#, 9), (#""_compatibilityTimeRate":1"#, 0),
        ] {
            #expect(try read(#"{"settings":{\#(json)}}"#).settings.timeRate.rawValue == rate, "\(json)")
        }
    }

    @Test("a subscription in the list of products joins its group, or one of its own")
    func subscriptionsAmongProducts() throws {
        let store = try read(
            #"""
            {"products":[
            {"productID":"a","type":"AutoRenewableSubscription","recurringSubscriptionPeriod":"P1Y","displayPrice":"1"},
            {"productID":"b","recurringSubscriptionPeriod":"P1W","displayPrice":"1","subscriptionGroupID":"G"},
            {"productID":"c","type":"Auto-Renewable Subscription","subscriptionPeriod":"P3M","displayPrice":"1"}
            ],"subscriptionGroups":[{"id":"G","name":"Plus","subscriptions":[]}]}
            """#
        )
        #expect(store.products.map { $0.subscription?.groupID } == ["a", "G", "c"])
        #expect(store.products.map { $0.subscription?.period.description } == ["P1Y", "P1W", "P3M"])
        #expect(store.groups.map(\.id) == ["G", "a", "c"])
    }

    @Test("the first of two products with one identifier is used, and a product without identifier is ignored")
    func duplicates() throws {
        let store = try StorekitFixture.configuration("Products")
        #expect(
            store.products.map(\.id) == [
                "com.example.lantern.oil", "com.example.lantern.wick", "com.example.lantern.season",
            ]
        )
        #expect(store.products[0].price == Milliunits(990))
        #expect(store.products[0].localizations.map(\.displayName) == ["Óleo", "Oil"])
        #expect(store.version.major == 6)
        #expect(store.offersKey?.id == "K1")
    }

    @Test("invalid offers are read as far as possible")
    func offers() throws {
        let store = try StorekitFixture.configuration("Offers")
        let terms = try #require(store.product("com.example.lantern.plus")?.subscription)
        #expect(terms.groupID == "G1" && terms.level == 1)
        #expect(terms.introductoryOffers.map(\.price) == [Milliunits(0)])
        #expect(terms.promotionalOffers.map(\.id) == ["spring", "go"])
        #expect(terms.promotionalOffers.map(\.periodCount) == [1, 12])
        #expect(terms.promotionalOffers.map(\.paymentMode) == [.payUpFront, .payAsYouGo])
        #expect(terms.codeOffers.map(\.id) == ["Fair"])
        #expect(store.products.map { $0.subscription?.period.description } == ["P5W", "P1M", "P1M", "P1Y"])
        #expect(store.products.allSatisfy { $0.type == .autoRenewableSubscription })
        #expect(store.groups.map(\.id) == ["G1"])
    }
}
