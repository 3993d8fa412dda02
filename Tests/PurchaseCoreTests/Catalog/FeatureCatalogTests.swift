import Foundation
import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Feature catalog")
struct FeatureCatalogTests {
    private let definitions = [
        FeatureDefinition(id: "notes", name: "Notes", description: "Write notes", level: .free),
        FeatureDefinition(id: "export", name: "Export", level: .premium, productIDs: ["once", "bundle"]),
        FeatureDefinition(id: "sync", name: "Sync", level: .premium, productIDs: ["bundle"]),
    ]

    @Test("[OTP-4.1] a definition has an id, name, description, level and products, and is the same after JSON")
    func json() throws {
        let text = """
            [{"id": "notes", "name": "Notes", "description": "Write notes", "level": "free"},
             {"id": "export", "name": "Export", "level": "premium", "products": ["once", "bundle"]},
             {"id": "sync", "name": "Sync", "level": "premium", "products": ["bundle"]}]
            """
        let decoded = try JSONDecoder().decode(FeatureCatalog.self, from: Data(text.utf8))
        #expect(decoded == (try FeatureCatalog(definitions)))
        #expect(decoded.definitions == definitions)
        let again = try JSONDecoder().decode(FeatureCatalog.self, from: try JSONEncoder().encode(decoded))
        #expect(again == decoded)
    }

    @Test("[OTP-4.6] one product unlocks several features, and several products unlock one")
    func products() throws {
        let catalog = TemplatePriceCatalog(
            version: 1, proProductIDs: ["all"], templateProductToID: ["bundle": TemplateID(rawValue: "A")],
            features: try FeatureCatalog(definitions))
        #expect(catalog.entitlements(for: "once") == [.feature("export")])
        #expect(
            catalog.entitlements(for: "bundle")
                == [.template(TemplateID(rawValue: "A")), .feature("export"), .feature("sync")])
        #expect(catalog.entitlements(for: "all") == [.pro])
        #expect(catalog.entitlements(for: "other").isEmpty)
    }

    @Test("ids of features and products are compared byte by byte")
    func bytes() throws {
        let catalog = try FeatureCatalog([
            FeatureDefinition(id: "caf\u{E9}", name: "One", level: .premium, productIDs: ["th\u{E9}"]),
            FeatureDefinition(id: "cafe\u{301}", name: "Two", level: .premium, productIDs: ["the\u{301}"]),
        ])
        #expect(try catalog.definition(of: "cafe\u{301}").name == "Two")
        #expect(catalog.features(unlockedBy: "th\u{E9}") == ["caf\u{E9}"])
        #expect(FeatureID(rawValue: "caf\u{E9}") != FeatureID(rawValue: "cafe\u{301}"))
    }

    @Test("[OTP-4.1] a feature that the catalog lacks is a typed error")
    func notFound() throws {
        let catalog = try FeatureCatalog(definitions)
        let error = #expect(throws: FeatureCatalogError.self) { try catalog.definition(of: "Export") }
        #expect(error?.code == .notFound)
        #expect(error?.feature == "Export")
        #expect(throws: FeatureCatalogError.self) { try FeatureCatalog.empty.definition(of: "") }
    }

    @Test("a duplicate id and a premium feature without a product are findings, and no catalog has them")
    func rejected() throws {
        let duplicate = definitions + [FeatureDefinition(id: "notes", name: "Other", level: .free)]
        let empty = definitions + [FeatureDefinition(id: "scan", name: "Scan", level: .premium)]
        #expect(FeatureCatalog.findings(in: definitions).isEmpty)
        for (bad, code, feature) in [
            (duplicate, FeatureCatalogError.Code.duplicateID, FeatureID("notes")),
            (empty, .premiumWithoutProduct, "scan"),
        ] {
            #expect(FeatureCatalog.findings(in: bad).map(\.code) == [code])
            let error = #expect(throws: FeatureCatalogError.self) { try FeatureCatalog(bad) }
            #expect(error?.code == code)
            #expect(error?.feature == feature)
            let encoded = try JSONEncoder().encode(bad)
            #expect(throws: FeatureCatalogError.self) {
                try JSONDecoder().decode(FeatureCatalog.self, from: encoded)
            }
        }
    }

    @Test("a product that the store does not sell, and one that is consumable, are findings")
    func sold() {
        let coins = FeatureDefinition(id: "coins", name: "Coins", level: .premium, productIDs: ["coins"])
        let findings = FeatureCatalog.findings(
            in: definitions + [coins], soldProducts: [Sample.product("bundle"), Sample.product("coins")])
        #expect(findings.map(\.code) == [.unknownProduct, .consumableProduct])
        #expect(findings.map(\.feature) == ["export", "coins"])
        #expect(findings.map(\.productID) == ["once", "coins"])
        #expect(FeatureCatalog.findings(in: definitions, soldProducts: []).count == 3)
    }

    @Test("a price catalog without features, as earlier versions wrote it, is decoded")
    func earlierVersion() throws {
        let text = #"{"version":1,"proProductIDs":["p"],"templateProductToID":{},"nonRenewingPeriods":{"s":"P1M"}}"#
        let catalog = try JSONDecoder().decode(TemplatePriceCatalog.self, from: Data(text.utf8))
        #expect(catalog.features == .empty)
        #expect(catalog.nonRenewingPeriod(of: "s") == .month)
        let full = TemplatePriceCatalog(version: 2, proProductIDs: [], features: try FeatureCatalog(definitions))
        let encoded = try JSONEncoder().encode(full)
        #expect(try JSONDecoder().decode(TemplatePriceCatalog.self, from: encoded) == full)
        #expect(full != TemplatePriceCatalog(version: 2, proProductIDs: []))
    }
}
