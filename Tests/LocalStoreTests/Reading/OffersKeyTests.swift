import LocalStore
import Testing

struct OffersKeyTests {
    @Test("no dump, mirror or description contains the private key")
    func dumps() throws {
        let configuration = try StorekitFixture.configuration("Lantern-4")
        let key = try #require(configuration.offersKey)
        #expect(key.id == "LANTERN001")
        #expect(key.privateKey.utf8.count == 184)
        var text = ""
        dump(configuration, to: &text)
        text += String(reflecting: configuration) + "\(configuration)\(key)" + String(reflecting: key)
        #expect(text.contains("LANTERN001"))
        #expect(!text.contains(key.privateKey.prefix(16)))
        #expect(!Mirror(reflecting: key).children.contains { "\($0.value)".contains(key.privateKey.prefix(16)) })
    }

    @Test(
        "a private key that cannot be used for signing is reported without being shown",
        arguments: [
            "not base64 at all", "bm90IGEga2V5", "",
            // A P-384 key: it can sign, but offers need P-256.
            "MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDDlq+TZMw+5oNHDfSTA6mPIKfUgVG+kzvaV0GmI3OkMI6"
                + "8KtiC/ohPI7hc1gQ6KxvuhZANiAAR95Lxnj5qea9T/P4r69HA4Tf2/6vmFYtOwlJtBqJraVVQZGfZwlhGws6t2VnuE"
                + "u2olIY2KvCYm1zRS3bG3DIF8/6q7wbrKAijGsrx9kQ5/oGbW8htUmZsBxTGJsguQXMY=",
        ]
    )
    func malformedKeys(_ key: String) throws {
        let text = #"{"subscriptionOffersKeyPair":{"id":"A","privateKey":"\#(key)"}}"#
        let findings = StoreConfiguration.lint(Array(text.utf8)).filter { $0.code == .malformedPrivateKey }
        #expect(findings.count == 1)
        #expect(findings.first?.path == "subscriptionOffersKeyPair.privateKey")
        if !key.isEmpty { #expect(!findings.map(\.description).joined().contains(key.prefix(12))) }
    }

    @Test("a private key with the wrong type or in another field is not shown")
    func misplacedKeys() throws {
        let key = try #require(try StorekitFixture.configuration("Lantern-4").offersKey).privateKey
        let texts = [
            #"{"subscriptionOffersKeyPair":"\#(key)"}"#,
            #"{"subscriptionOffersKeyPair":{"id":"\#(key)","privatekey":"\#(key)"}}"#,
            #"{"subscriptionOffersKeyPair":{"id":"A","privateKey":["\#(key)"]}}"#,
            #"{"subscriptionOffersKeyPair":{"id":"A","privateKey":1234567890123456}}"#,
            #"{"identifier":"A","version":"\#(key)","settings":{"_storefront":"\#(key)","_timeRate":"\#(key)"}}"#,
            #"{"\#(key)":1,"\#(key)":2}"#,
            #"{"products":[{"productID":"\#(key)","type":"\#(key)","displayPrice":"\#(key)"}]}"#,
        ]
        for text in texts {
            let shown = StoreConfiguration.lint(Array(text.utf8)).map(\.description).joined(separator: "\n")
            #expect(!shown.isEmpty)
            #expect(!shown.contains(key.prefix(16)) && !shown.contains("1234567890"), "\(shown)")
        }
    }
}
