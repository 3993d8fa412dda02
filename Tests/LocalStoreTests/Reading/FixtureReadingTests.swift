import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

/// Complete reading of the fixtures that Xcode wrote.
struct FixtureReadingTests {
    private let month = BillingPeriod.month
    private let week = BillingPeriod.week

    @Test("version 2: a consumable, a non-consumable, a season and a subscription with a trial")
    func version2() throws {
        let store = try StorekitFixture.configuration("Lantern-2")
        #expect(store.identifier == "4F0C81D2")
        #expect(store.version == .init(major: 2, minor: 0))
        #expect(
            store.products.map(\.id) == [
                "com.example.lantern.oil.small", "com.example.lantern.keeper", "com.example.lantern.season",
                "com.example.lantern.plus.monthly",
            ]
        )
        #expect(
            store.products.map(\.type) == [
                .consumable, .nonConsumable, .nonRenewingSubscription, .autoRenewableSubscription,
            ]
        )
        #expect(store.products.map(\.price) == [990, 29990, 12000, 4990].map { Milliunits($0) })
        #expect(store.products.map(\.isFamilyShareable) == [false, true, false, false])
        #expect(store.products[0].referenceName == "Small oil")
        #expect(store.products[0].internalID == "51A0F3C1")
        #expect(store.products[0].localizations.map(\.locale) == ["en_US", "fr_FR"])
        #expect(store.groups == [SubscriptionGroup(id: "8D1B0A77", name: "Lantern Plus")])
        let trial = ConfiguredOffer(paymentMode: .freeTrial, period: week)
        #expect(
            store.products[3].subscription
                == ConfiguredSubscription(groupID: "8D1B0A77", level: 1, period: month, introductoryOffers: [trial])
        )
        var settings = StoreSettings()
        settings.timeRate = TimeRate(rawValue: 4)
        #expect(store.settings == settings)
        #expect(store.offersKey == nil)
    }

    @Test("version 3: settings, simulated errors, and prices without decimals")
    func version3() throws {
        let store = try StorekitFixture.configuration("Lantern-3")
        #expect(store.version == .init(major: 3, minor: 0))
        #expect(store.settings.locale == "ko" && store.settings.storefront == "KOR")
        #expect(store.settings.timeRate == TimeRate(rawValue: 1003))
        #expect(store.settings.isAskToBuyEnabled && store.settings.isGracePeriodEnabled)
        #expect(store.settings.isFailingRenewals && store.settings.isWithoutDialogs)
        #expect(!store.settings.isInterruptingPurchases)
        #expect(store.settings.simulatedErrors == [.purchase: "generic 2", .appStoreSync: "unknown"])
        #expect(store.products.map(\.price) == [5_900_000, 5_900_000, 59_000_000].map { Milliunits($0) })
        let terms = try store.products.dropFirst().map { try #require($0.subscription) }
        #expect(terms.map(\.level) == [2, 1])
        #expect(
            terms[0].introductoryOffers == [
                ConfiguredOffer(
                    paymentMode: .payAsYouGo, period: month, periodCount: 3, price: Milliunits(2_900_000)
                )
            ]
        )
        #expect(terms[1].introductoryOffers.map(\.periodCount) == [1])
        #expect(terms[1].introductoryOffers.map(\.period.description) == ["P6M"])
        #expect(store.groups[0].localization(for: "ko_KR")?.displayName == "랜턴 플러스")
    }

    @Test("version 4: promotional, code and win-back offers, and the key that signs them")
    func version4() throws {
        let store = try StorekitFixture.configuration("Lantern-4")
        #expect(store.offersKey?.id == "LANTERN001")
        #expect(store.settings.simulatedErrors == [:])
        let yearly = try #require(store.product("com.example.lantern.plus.yearly"))
        #expect(yearly.isFamilyShareable)
        let terms = try #require(yearly.subscription)
        #expect(terms.period == .year && terms.level == 1)
        #expect(terms.promotionalOffers.map(\.id) == ["spring", "loyal"])
        #expect(terms.promotionalOffers.map(\.price) == [24990, 39990].map { Milliunits($0) })
        #expect(
            terms.codeOffers == [
                ConfiguredOffer(
                    id: "Fair 2026", referenceName: "Fair 2026", paymentMode: .freeTrial, period: month,
                    eligibility: [.new, .expired], isStackable: true
                )
            ]
        )
        #expect(terms.winBackOffers.map(\.id) == ["come-back"])
        #expect(terms.winBackOffers.map(\.paymentMode) == [.payUpFront])
        let weekly = try #require(store.product("com.example.lantern.plus.weekly")?.subscription)
        #expect(weekly.introductoryOffers.map(\.periodCount) == [4])
        #expect(weekly.introductoryOffers.map(\.period) == [week])
    }

    @Test("version 5: billing plans, and a list of introductory offers that takes precedence over the single one")
    func version5() throws {
        let store = try StorekitFixture.configuration("Lantern-5")
        #expect(store.settings.isInterruptingPurchases)
        let terms = try #require(store.products.first?.subscription)
        #expect(
            terms.billingPlans == [
                .init(
                    type: .billedUpfront, price: Milliunits(60000), commitmentPrice: Milliunits(60000),
                    isEnabled: true
                ),
                .init(type: .monthly, price: Milliunits(5500), commitmentPrice: Milliunits(66000), isEnabled: false),
            ]
        )
        #expect(terms.introductoryOffers.map(\.paymentMode) == [.freeTrial, .payAsYouGo])
        #expect(terms.introductoryOffers.map(\.billingPlanType) == [nil, .monthly])
        #expect(terms.introductoryOffers.map(\.price) == [0, 2500].map { Milliunits($0) })
    }

    @Test("the known parts of a newer version are read, with a finding")
    func newerVersion() throws {
        let reading = try StoreConfiguration.read(
            Array(#"{"version":{"major":9,"minor":1},"lamps":[],"identifier":"x"}"#.utf8)
        )
        #expect(reading.configuration.version == .init(major: 9, minor: 1))
        #expect(reading.configuration.identifier == "x")
        #expect(reading.findings.map(\.code).contains(.newerVersion))
        #expect(reading.findings.map(\.code).contains(.unknownKey))
    }
}
