import Foundation
import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Products granted for the purchase of the app")
struct GrandfatheringTests {
    @Test(
        "versions are compared number by number",
        arguments: [
            ("2.9", "2.10"), ("2", "2.0.1"), ("1.99", "2"), ("0", "0.1"), ("9", "10"), ("007", "8"),
            ("1.9999999999999999999999", "1.10000000000000000000000"),
        ])
    func order(_ earlier: String, _ later: String) throws {
        let (first, second) = (try #require(AppVersion(earlier)), try #require(AppVersion(later)))
        #expect(first < second)
        #expect(!(second < first))
    }

    @Test("zeros at the end and in front say nothing", arguments: [("3", "3.0.0"), ("0", "0.0"), ("1.02", "1.2.0")])
    func equality(_ left: String, _ right: String) throws {
        #expect(AppVersion(left) == AppVersion(right))
        let (first, second) = (try #require(AppVersion(left)), try #require(AppVersion(right)))
        #expect(!(first < second) && !(second < first))
    }

    @Test(
        "a text that is not numbers between dots is no version",
        arguments: [
            "", ".", "1.", ".1", "1..2", "2b3", "-1", "1,0", " 1", "١", String(repeating: "1.", count: 99) + "1",
        ])
    func noVersion(_ text: String) {
        #expect(AppVersion(text) == nil)
    }

    @Test("a catalog in JSON keeps its rules, and one of an earlier version has none")
    func codable() throws {
        let catalog = TemplatePriceCatalog(
            version: 2, proProductIDs: ["pro"], grandfathered: [GrandfatheredProduct("pro", before: AppVersion(2, 10))])
        let json = try JSONEncoder().encode(catalog)
        #expect(try JSONDecoder().decode(TemplatePriceCatalog.self, from: json) == catalog)
        #expect(String(decoding: json, as: UTF8.self).contains(#""beforeVersion":"2.10""#))
        let earlier = #"{"version":1,"proProductIDs":[],"templateProductToID":{},"nonRenewingPeriods":{}}"#
        let decoded = try JSONDecoder().decode(TemplatePriceCatalog.self, from: Data(earlier.utf8))
        #expect(decoded.grandfathered.isEmpty)
        let wrong = #"{"productID":"pro","beforeVersion":"two"}"#
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(GrandfatheredProduct.self, from: Data(wrong.utf8))
        }
    }

    @Test("an app of a volume purchase grants nothing once its licence has ended")
    func expiredLicence() throws {
        let catalog = TemplatePriceCatalog(
            version: 1, proProductIDs: ["pro"], grandfathered: [GrandfatheredProduct("pro", before: AppVersion(2))])
        let app = AppPurchase(
            bundleID: "com.example.app", originalAppVersion: "1", originalPurchaseDate: Sample.at(0),
            expirationDate: Sample.at(day: 1), signedDate: Sample.at(0))
        for (day, isPro) in [(0, true), (1, true), (2, false)] {
            let entitlements = EntitlementProjection(catalog: catalog).entitlements(
                from: [], appPurchases: [app], at: Sample.at(day: day))
            #expect(entitlements.isPro == isPro, "day \(day)")
            let stopped = EntitlementProjection(catalog: catalog).entitlements(
                from: [], appPurchases: [app], at: Sample.at(0), earliestConfirmedEnd: Sample.at(day: day))
            #expect(stopped.isPro == isPro, "the clock was stopped, day \(day)")
        }
    }

    @Test("each rule is decided for itself, and a product that the catalog does not know is reported")
    func rules() throws {
        let catalog = TemplatePriceCatalog(
            version: 1, proProductIDs: ["pro"], templateProductToID: ["a": TemplateID(rawValue: "A")],
            grandfathered: [
                GrandfatheredProduct("pro", before: AppVersion(2)), GrandfatheredProduct("a", before: AppVersion(4)),
                GrandfatheredProduct("unknown", before: AppVersion(4)),
            ])
        let app = AppPurchase(
            bundleID: "com.example.app", originalAppVersion: "3", originalPurchaseDate: Sample.at(0),
            signedDate: Sample.at(0))
        let entitlements = EntitlementProjection(catalog: catalog).entitlements(
            from: [], appPurchases: [app, app], at: Sample.at(0))
        #expect(!entitlements.isPro)
        #expect(entitlements.grounds[.template(TemplateID(rawValue: "A"))]?.count == 1)
        #expect(entitlements.denials == ["unknown": .unknownProduct])
    }
}
