@testable internal import LocalStore
@testable internal import ReceiptTypes

/// Any bytes as a `.storekit` file, for the lenient reader and for the linter.
final class StoreFileTarget: FuzzTarget {
    static let name = "storekit"
    static let summary = ".storekit files: the lenient reader, and the linter's findings with their positions"
    static let maximumLength = 8192

    init() throws {}

    var seeds: [(name: String, bytes: [UInt8])] {
        let offer = #"{"internalID":"A","paymentMode":"free","subscriptionPeriod":"P1W"}"#
        let codeOffer = #"{"internalID":"D","paymentMode":"payUpFront","subscriptionPeriod":"P1M","displayPrice":"9"}"#
        let subscription = """
            {"productID":"s","type":"RecurringSubscription","displayPrice":"4.99","groupNumber":1,"internalID":"B",\
            "recurringSubscriptionPeriod":"P1M","subscriptionGroupID":"G","introductoryOffer":\(offer),\
            "adHocOffers":[\(offer)],"codeOffers":[\(codeOffer)],"winbackOffers":[],"billingPlans":[],\
            "localizations":[{"locale":"en_US","displayName":"S","description":""}]}
            """
        let product =
            #"{"productID":"p","type":"Consumable","displayPrice":"0.99","internalID":"C","localizations":[]}"#
        let group = #"{"id":"G","name":"G","localizations":[],"subscriptions":[\#(subscription)]}"#
        func file(_ version: Int, _ settings: String) -> String {
            """
            {"identifier":"F","version":{"major":\(version),"minor":0},"products":[\(product)],\
            "nonRenewingSubscriptions":[],"subscriptionGroups":[\(group)],"settings":\(settings)}
            """
        }
        let texts = [
            "version-2": file(2, #"{"_storeKitError":3,"_failTransactionsEnabled":true}"#),
            "version-4": file(4, #"{"_timeRate":1003,"_compatibilityTimeRate":{"3":6},"_storefront":"DEU"}"#),
            "version-5": file(5, #"{"_storeKitErrors":[{"name":"Purchase","enabled":true,"current":null}]}"#),
            "by-hand": #"{"version":[4,0],"settings":{"_timeRate":"3"},"products":[\#(subscription)]}"#,
            "key": #"{"subscriptionOffersKeyPair":{"id":"K","privateKey":"MIGHAgEAMBMGByqGSM49"}}"#,
            "twice": #"{"products":[],"products":[]}"#, "no-object": "[]", "cut": #"{"products":[{"productID":"#,
        ]
        return texts.sorted { $0.key < $1.key }.map { ($0.key, [UInt8]($0.value.utf8)) }
    }

    func run(_ input: [UInt8]) throws {
        let findings = StoreConfiguration.lint(input)
        requireEqual(findings, StoreConfiguration.lint(input), "the findings of a second run")
        let reading = try? StoreConfiguration.read(input)
        if let reading {
            requireEqual(reading.findings, findings, "the findings of the reader and of the linter")
            check(reading.configuration)
        } else {
            requireEqual(findings.count, 1, "the number of findings of an unreadable file")
            requireEqual(findings.first?.severity, .error, "the severity of the finding of an unreadable file")
        }
        let lineCount = input.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } + 1
        for finding in findings {
            require(
                (1...lineCount).contains(finding.line) && (1...input.count + 1).contains(finding.column),
                "the position of a finding is outside of the file: \(finding)")
            require(!finding.description.contains("\n"), "a finding has more than one line")
            requireHarmless(finding.description, "a finding contains a control character")
        }
    }

    private func check(_ configuration: StoreConfiguration) {
        let ids = configuration.products.map { Array($0.id.utf8) }
        requireEqual(Set(ids).count, ids.count, "the number of distinct product IDs")
        for product in configuration.products {
            require(product.price >= Milliunits(0), "a price is negative")
            guard let terms = product.subscription else { continue }
            require(terms.level >= 1, "a level is below 1")
            require(
                configuration.groups.contains { $0.id.isIdentical(to: terms.groupID) }, "a subscription has no group")
            let offers = terms.introductoryOffers + terms.promotionalOffers + terms.codeOffers + terms.winBackOffers
            for offer in offers {
                require((1...12).contains(offer.periodCount), "the number of periods of an offer is out of range")
            }
        }
        if let key = configuration.offersKey, key.privateKey.utf8.count > 64 {
            require(!"\(configuration)".contains(key.privateKey), "the private key is in a description")
        }
    }
}
