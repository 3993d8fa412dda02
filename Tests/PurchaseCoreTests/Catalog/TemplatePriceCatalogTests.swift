import Foundation
import PurchaseCore
import Testing

@Suite("Price catalog")
struct TemplatePriceCatalogTests {
    @Test("[PSE-5] a known product maps to its entitlements, an unknown one to none")
    func map() {
        #expect(Sample.catalog.entitlements(for: "pro.yearly") == [.pro])
        #expect(Sample.catalog.entitlements(for: "template.a") == [.template(TemplateID(rawValue: "A"))])
        #expect(Sample.catalog.entitlements(for: "template.z").isEmpty)
        #expect(Sample.catalog.entitlements(for: "PRO.YEARLY").isEmpty)
        let bundle = TemplatePriceCatalog(
            version: 1, proProductIDs: ["all"], templateProductToID: ["all": TemplateID(rawValue: "A")])
        #expect(bundle.entitlements(for: "all") == [.pro, .template(TemplateID(rawValue: "A"))])
    }

    @Test("[PSE-5] ids are compared byte by byte")
    func bytes() {
        let catalog = TemplatePriceCatalog(
            version: 1, proProductIDs: ["caf\u{E9}"], templateProductToID: ["th\u{E9}": TemplateID(rawValue: "A")])
        #expect(catalog.unlocksPro("caf\u{E9}"))
        #expect(!catalog.unlocksPro("cafe\u{301}"))
        #expect(catalog.template(for: "the\u{301}") == nil)
    }

    @Test("a catalog is the same after encoding and decoding, and its version is encoded")
    func data() throws {
        let encoded = try JSONEncoder().encode(Sample.catalog)
        #expect(try JSONDecoder().decode(TemplatePriceCatalog.self, from: encoded) == Sample.catalog)
        #expect(String(decoding: encoded, as: UTF8.self).contains("\"version\":3"))
    }
}
