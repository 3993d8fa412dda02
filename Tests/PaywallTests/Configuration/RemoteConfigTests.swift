import Foundation
import Paywall
import PurchaseCore
import Testing

@Suite("The document of the remote configuration")
struct RemoteConfigTests {
    private static let complete = """
        {"schema": 1, "revision": 7, "purchasesEnabled": false, "allowsDismissal": false, "viewLimit7d": 10,
         "offers": [
           {"id": "A", "layout": "cards", "defaultPlan": "yearly", "future": {"a": [1]},
            "plans": [{"id": "yearly", "period": "year", "bestValue": true}, {"id": "weekly", "period": "week"}]},
           {"id": "C", "layout": "list", "defaultPlan": "lifetime", "plans": [{"id": "lifetime"}]}],
         "defaultOffer": "C",
         "rules": [{"name": "often-seen", "offer": "A", "minimumViews7d": 3, "maximumViews7d": 9,
                    "minimumTimeOnPaywallSec": 20, "riskLevels": ["low", "high"], "personalPromises": ["focus"]},
                   {"name": "all", "offer": "C"}],
         "experiment": {"id": "offer-1", "holdoutPerMille": 50, "arms": [{"offer": "A", "weight": 3}, {"offer": "C"}]},
         "featureLayout": "locked", "unknown": null}
        """

    private static func config(_ json: String) throws(DocumentError) -> RemoteConfig {
        try RemoteConfig(json: Array(json.utf8))
    }

    @Test("every member of a document is read, and unknown ones are ignored [PWF-5]")
    func complete() throws {
        let yearly = Plan(id: "yearly", displayPrice: "", period: "year", isBestValue: true)
        let weekly = Plan(id: "weekly", displayPrice: "", period: "week")
        let lifetime = Plan(id: "lifetime", displayPrice: "", period: "")
        #expect(
            try Self.config(Self.complete)
                == RemoteConfig(
                    revision: 7, purchasesEnabled: false, allowsDismissal: false, viewLimit7d: 10,
                    offers: [
                        Offer(id: .a, layoutVariant: "cards", plans: [yearly, weekly], defaultPlanID: "yearly"),
                        Offer(id: .c, layoutVariant: "list", plans: [lifetime], defaultPlanID: "lifetime"),
                    ],
                    defaultOfferID: .c,
                    rules: [
                        OfferRule(
                            name: "often-seen", offerID: .a, minimumViews7d: 3, maximumViews7d: 9,
                            minimumTimeOnPaywallSec: 20, riskLevels: [.low, .high], personalPromiseKeys: ["focus"]),
                        OfferRule(name: "all", offerID: .c),
                    ],
                    experiment: OfferExperiment(
                        id: "offer-1", holdoutPerMille: 50, arms: [.init(.a, weight: 3), .init(.c)]),
                    featureLayoutVariant: "locked"))
    }

    @Test("each unknown member is named with its place, and no member that a configuration has [PWF-5]")
    func unknownMembers() throws {
        let known = Self.complete.replacing(", \"future\": {\"a\": [1]}", with: "")
            .replacing(", \"unknown\": null", with: "")
        #expect(try RemoteConfig.reading(json: Array(known.utf8)).unknownMembers == [])
        let misspelt = Self.complete.replacing("\"bestValue\"", with: "\"bestvalue\"")
            .replacing("\"maximumViews7d\"", with: "\"maxViews7d\"").replacing("\"weight\"", with: "\"Weight\"")
        let reading = try RemoteConfig.reading(json: Array(misspelt.utf8))
        #expect(
            Set(reading.unknownMembers) == [
                "unknown", "offers[0].future", "offers[0].plans[0].bestvalue", "rules[0].maxViews7d",
                "experiment.arms[0].Weight",
            ])
        #expect(reading.config.rules.first?.maximumViews7d == nil)
    }

    @Test("a document with only its schema has every default, and the defaults are these [PWF-5]")
    func defaults() throws {
        let config = try Self.config(#"{"schema": 1}"#)
        #expect(config == RemoteConfig())
        #expect(config.purchasesEnabled && config.allowsDismissal && config.viewLimit7d == nil)
        #expect(config.offers.isEmpty && config.rules.isEmpty && config.experiment == nil)
        #expect(config.revision == 0 && config.featureLayoutVariant == "feature")
    }

    /// A change of the complete document, the code and the place of the error.
    private static let wrong: [(from: String, to: String, code: DocumentError.Code, path: String)] = [
        (#""schema": 1"#, #""schema": 2"#, .wrongValue, "schema"),
        (#""schema": 1"#, #""schema": "1""#, .wrongType, "schema"),
        (#""schema": 1, "#, "", .missingField, "schema"),
        (#""schema": 1"#, #""schema": null"#, .missingField, "schema"),
        (#""revision": 7"#, #""revision": -1"#, .wrongValue, "revision"),
        (#""revision": 7"#, #""revision": 7.5"#, .wrongType, "revision"),
        (#""purchasesEnabled": false"#, #""purchasesEnabled": 0"#, .wrongType, "purchasesEnabled"),
        (#""viewLimit7d": 10"#, #""viewLimit7d": 1000001"#, .wrongValue, "viewLimit7d"),
        (#""viewLimit7d": 10"#, #""viewLimit7d": 99999999999999999999"#, .wrongType, "viewLimit7d"),
        (#""id": "C""#, #""id": "A""#, .wrongValue, "offers"),
        (#""id": "C""#, #""id": "D""#, .wrongValue, "offers[1].id"),
        (#""layout": "cards""#, #""layout": """#, .wrongValue, "offers[0].layout"),
        (#""defaultPlan": "yearly""#, #""defaultPlan": "monthly""#, .wrongValue, "offers[0].defaultPlan"),
        (#"{"id": "weekly""#, #"{"id": "yearly""#, .wrongValue, "offers[0].plans[1].id"),
        (#"{"id": "weekly", "#, "{", .missingField, "offers[0].plans[1].id"),
        (#"{"id": "weekly", "period": "week"}"#, "7", .wrongType, "offers[0].plans[1]"),
        (#""bestValue": true"#, #""bestValue": "yes""#, .wrongType, "offers[0].plans[0].bestValue"),
        (#""defaultOffer": "C""#, #""defaultOffer": "B""#, .wrongValue, "defaultOffer"),
        (#""offer": "A", "min"#, #""offer": "B", "min"#, .wrongValue, "rules[0].offer"),
        (#""minimumViews7d": 3"#, #""minimumViews7d": -3"#, .wrongValue, "rules[0].minimumViews7d"),
        (#"["low", "high"]"#, #"["low", "none"]"#, .wrongValue, "rules[0].riskLevels[1]"),
        (#"["focus"]"#, #""focus""#, .wrongType, "rules[0].personalPromises"),
        (#""holdoutPerMille": 50"#, #""holdoutPerMille": 1001"#, .wrongValue, "experiment.holdoutPerMille"),
        (#""weight": 3"#, #""weight": 1000001"#, .wrongValue, "experiment.arms[0].weight"),
        (#""id": "offer-1", "#, "", .missingField, "experiment.id"),
        (#""locked", "unknown": null}"#, #""locked""#, .malformed, ""),
    ]

    @Test("a wrong value names its place, and nothing of the document is used [PWF-5]", arguments: wrong.indices)
    func wrongValues(index: Int) {
        let change = Self.wrong[index]
        let json = Self.complete.replacingOccurrences(of: change.from, with: change.to)
        #expect(json != Self.complete)
        let error = #expect(throws: DocumentError.self) { try Self.config(json) }
        #expect(error?.code == change.code && error?.path == change.path, "\(String(describing: error))")
    }

    @Test("a hostile document is rejected before it costs much [PWF-5]")
    func hostile() {
        let rejected: [(String, DocumentError.Code)] = [
            ("", .malformed), ("{", .malformed), ("[]", .wrongType), ("null", .wrongType), ("1", .wrongType),
            (#"{"schema": 1} x"#, .malformed),
            (String(repeating: " ", count: RemoteConfig.maximumSize + 1), .tooLarge),
            (#"{"schema": 1, "a": "# + String(repeating: "[", count: 100_000), .tooLarge),
            (
                #"{"schema": 1, "rules": ["# + (0...100).map { _ in "{}" }.joined(separator: ",") + "]}",
                .tooLarge
            ),
            (#"{"schema": 1, "featureLayout": ""# + String(repeating: "a", count: 257) + #""}"#, .tooLarge),
        ]
        for (json, code) in rejected {
            let error = #expect(throws: DocumentError.self) { try Self.config(json) }
            #expect(error?.code == code, "\(json.prefix(40)): \(String(describing: error))")
        }
        let bytes: [UInt8] = [0x7b, 0xff, 0xfe, 0x00, 0x7d]
        #expect(throws: DocumentError(.malformed, expected: "", found: "")) { try RemoteConfig(json: bytes) }
    }

    @Test("a document that is cut anywhere is rejected [PWF-5]")
    func truncated() {
        let bytes = Array(Self.complete.utf8)
        for length in bytes.indices {
            #expect(throws: DocumentError.self) { try RemoteConfig(json: Array(bytes[..<length])) }
        }
    }
}
