import LocalStore
import PurchaseCore
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import Testing

/// A configuration with every product type and renewal period, and the objects built from it.
enum SampleStore {
    static let bundleID = "com.example.app"
    static let day: Int64 = 86_400_000
    static let start = Timestamp(milliseconds: 1_735_689_600_000) ?? .minimum

    /// The keys of all tests in the process; generating them is slow.
    static let signer = try? SimulatorSigner()

    static let catalog = TemplatePriceCatalog(
        version: 1,
        proProductIDs: [
            "pro.basic", "pro.other", "pro.plus", "pro.yearly", "pro.weekly", "pro.lifetime", "pro.season",
        ],
        templateProductToID: ["template.a": TemplateID(rawValue: "A")],
        nonRenewingPeriods: ["pro.season": .month]
    )

    static func subscription(
        _ id: String, level: Int, period: BillingPeriod, price: Int64, isFamilyShareable: Bool = false,
        _ change: (inout ConfiguredSubscription) -> Void = { _ in }
    ) -> ConfiguredProduct {
        var terms = ConfiguredSubscription(groupID: "group", level: level, period: period)
        change(&terms)
        return ConfiguredProduct(
            id: id, referenceName: id, type: .autoRenewableSubscription, price: Milliunits(price),
            isFamilyShareable: isFamilyShareable,
            localizations: [
                Localization(locale: "en_US", displayName: "Name of \(id)", description: "About \(id)"),
                Localization(locale: "de", displayName: "\(id) auf Deutsch"),
            ], subscription: terms
        )
    }

    static let configuration = StoreConfiguration(
        products: [
            ConfiguredProduct(id: "coins", type: .consumable, price: Milliunits(990)),
            ConfiguredProduct(
                id: "pro.lifetime", type: .nonConsumable, price: Milliunits(99_990), isFamilyShareable: true),
            ConfiguredProduct(id: "template.a", type: .nonConsumable, price: Milliunits(2990)),
            ConfiguredProduct(id: "pro.season", type: .nonRenewingSubscription, price: Milliunits(4990)),
            subscription("pro.basic", level: 2, period: .month, price: 4990) { terms in
                terms.introductoryOffers = [
                    ConfiguredOffer(paymentMode: .freeTrial, period: .week)
                ]
                terms.promotionalOffers = [
                    ConfiguredOffer(
                        id: "half", paymentMode: .payAsYouGo, period: .month, periodCount: 2, price: Milliunits(2490))
                ]
                terms.codeOffers = [
                    ConfiguredOffer(
                        referenceName: "WELCOME", paymentMode: .freeTrial, period: .month, eligibility: [.new]),
                    ConfiguredOffer(
                        referenceName: "STACK", paymentMode: .payUpFront, period: .month, periodCount: 3,
                        price: Milliunits(9000), eligibility: [.new, .existing], isStackable: true),
                    ConfiguredOffer(
                        referenceName: "RETURN", paymentMode: .freeTrial, period: .month, eligibility: [.expired]),
                ]
                terms.winBackOffers = [
                    ConfiguredOffer(id: "back", paymentMode: .payUpFront, period: .month, price: Milliunits(1000))
                ]
            },
            subscription("pro.other", level: 2, period: .month, price: 5990),
            subscription("pro.plus", level: 1, period: .month, price: 9990, isFamilyShareable: true) { terms in
                terms.introductoryOffers = [ConfiguredOffer(paymentMode: .freeTrial, period: .week)]
                terms.promotionalOffers = [
                    ConfiguredOffer(id: "plus", paymentMode: .payUpFront, period: .month, price: Milliunits(5000))
                ]
            },
            subscription("pro.yearly", level: 2, period: .year, price: 49_990),
            subscription("pro.weekly", level: 3, period: .week, price: 1990),
        ],
        groups: [SubscriptionGroup(id: "group", name: "Pro")]
    )

    static func state(
        seed: UInt64 = 1, accounts: [String] = ["anna"], _ change: (inout StoreSettings) -> Void = { _ in }
    ) -> SimulatorState {
        var settings = StoreSettings()
        change(&settings)
        return SimulatorState(
            seed: seed, now: start, app: SimulatedApp(bundleID: bundleID), settings: settings, accounts: accounts)
    }

    static func engine(
        seed: UInt64 = 1, accounts: [String] = ["anna"], _ change: (inout StoreSettings) -> Void = { _ in }
    ) -> SimulatorEngine {
        SimulatorEngine(configuration: configuration, state: state(seed: seed, accounts: accounts, change))
    }

    static func simulator(
        seed: UInt64 = 1, accounts: [String] = ["anna"], faults: FaultPlan = .none,
        _ change: (inout StoreSettings) -> Void = { _ in }
    ) throws -> StoreSimulator {
        StoreSimulator(
            configuration: configuration, signer: try #require(signer),
            state: state(seed: seed, accounts: accounts, change), faults: faults)
    }

    static func simulator(over state: SimulatorState, faults: FaultPlan = .none) throws -> StoreSimulator {
        StoreSimulator(configuration: configuration, signer: try #require(signer), state: state, faults: faults)
    }

    /// Returns a verifier that trusts only ``signer``, for the sample app.
    static func verifier(at now: @escaping @Sendable () -> Timestamp = { .maximum }) throws -> ReceiptVerifier {
        let signer = try #require(signer)
        var keys = PlayKeyring()
        keys.add([UInt8](try signer.playPublicKey.utf8), forPackage: bundleID)
        return ReceiptVerifier(
            policy: VerificationPolicy(apps: [.init(bundleID: bundleID)], environments: [.sandbox]),
            trustAnchors: signer.trustAnchors, playKeys: keys, clock: now
        )
    }

    /// The sample products as an app lists them for Google Play.
    static let playProducts = configuration.products.map { product in
        if let terms = product.subscription {
            PlayProduct(subscription: product.id, period: terms.period, groupID: terms.groupID)
        } else {
            PlayProduct(id: product.id, type: product.type)
        }
    }

    /// Returns a verifier of the App Store transactions and the Google Play purchases of the sample app.
    static func playVerifier() throws -> PlayReceiptVerifier {
        PlayReceiptVerifier(try verifier(), products: playProducts)
    }
}
