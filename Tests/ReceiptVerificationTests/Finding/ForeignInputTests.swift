import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Inputs that are no receipts")
struct ForeignInputTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let bytes: [UInt8]
        let name: String
        var testDescription: String { "\(name): \(String(decoding: bytes.prefix(40), as: UTF8.self))" }

        init(_ text: String, _ name: String) { (bytes, self.name) = ([UInt8](text.utf8), name) }
        init(_ bytes: [UInt8], _ name: String) { (self.bytes, self.name) = (bytes, name) }

        /// A token of the App Store Server API, with a signature of 64 bytes.
        static let token =
            [
                #"{"alg":"ES256","kid":"2X9R4HXF34","typ":"JWT"}"#,
                #"{"iss":"57246542","iat":1,"bid":"com.example.app"}"#,
            ]
            .map { Base64.url.encode([UInt8]($0.utf8)) }.joined(separator: ".") + "."
            + String(repeating: "A", count: 86)
    }

    private static let developerNotification =
        #"{"version":"1.0","packageName":"a.b","eventTimeMillis":"1","subscriptionNotification":{"purchaseToken":"x"}}"#
    private static let token = "opaquetokenopaquetokenab.AO-J1Oz" + String(repeating: "aB3_-", count: 24)
    private static let purchase =
        #"{"orderId":"GPA.1","packageName":"a.b","productId":"c","purchaseTime":1,"purchaseToken":"x"}"#
    private static let quoted = purchase.replacing("\"", with: "\\\"")
    private static let signature = String(repeating: "aB3/", count: 85) + "aA=="
    private static let externalToken =
        #"{"appAppleId":1,"bundleId":"a.b","tokenCreationDate":1,"externalPurchaseId":"x"}"#
    private static func base64(_ text: String) -> String { Base64.standard.encode([UInt8](text.utf8)) }
    private static func pem(_ label: String) -> String { "-----BEGIN \(label)-----\nAAAA\n-----END \(label)-----\n" }

    static let ids: [Sample] = [
        .init("MK5TTJQFXG", "an Apple order ID"), .init("Order ID: MLKJHGFDSA\n", "an Apple order ID"),
        .init("'MK5TTJQFXG2'", "an Apple order ID"), .init("200000000000042", "a transaction ID of the App Store"),
        .init("transactionId=2000000812345678", "a transaction ID of the App Store"),
        .init("GPA.1234-5678-9012-34567", "a Google order ID"),
        .init("GPA.1234-5678-9012-34567..3", "a Google order ID"),
        .init("The order GPA.1234-5678-9012-34567.", "a Google order ID"), .init(token, "a Google Play purchase token"),
        .init("token: \(token)", "a Google Play purchase token"),
        .init("gpa.1234-5678-9012-34567", "a Google order ID"),
        .init("Gpa. 1234 - 5678 9012 34567", "a Google order ID"),
        .init("GPA.1234\u{2011}5678\u{2011}9012\u{2011}34567", "a Google order ID"),
        .init("order GPA\u{A0}1234\u{2013}5678\u{2013}9012\u{2013}34567..2", "a Google order ID"),
        .init("20000000000000042", "a transaction ID of the App Store"), .init("order mk5ttjqfxg", "an Apple order ID"),
        .init("21002", "a status of the verifyReceipt endpoint"),
        .init("status 21007 again", "a status of the verifyReceipt endpoint"),
        .init("Error Domain=SKErrorDomain Code=2 \"Cannot connect\"", "what looks like an error message"),
        .init(
            "6FA0B3B8-1A5D-4A4F-9D4B-7A9C6F0B1A2C", "a UUID, such as a notificationUUID or an appAccountToken"),
        .init("https://example.com/receipt", "a URL"), .init("ann@example.com", "an e-mail address"),
        .init("com.example.app.premium", "a bundle ID, a package name or a product ID"),
        .init(String(repeating: "0af3", count: 8), "a hexadecimal key or digest"),
        .init(String(repeating: "0AF3", count: 16), "a hexadecimal key or digest"),
        .init("Authorization: Bearer \(Sample.token)", "a bearer token"),
    ]

    static let json: [Sample] = [
        .init(developerNotification, "a Real-time Developer Notification of Google Play"),
        .init(base64(developerNotification), "the base64 of a Real-time Developer Notification of Google Play"),
        .init(
            #"{"message":{"data":"\#(base64(developerNotification))","messageId":"1"},"subscription":"s"}"#,
            "a Pub/Sub message with a Real-time Developer Notification of Google Play"),
        .init(
            #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#, "an error of the App Store Server API"
        ),
        .init(
            "HTTP/1.1 404\r\n\r\n{\"errorCode\":4040010,\"errorMessage\":\"x\"}", "an error of the App Store Server API"
        ),
        .init(#"{"errors":[{"status":"401","code":"NOT_AUTHORIZED"}]}"#, "an error of the App Store Connect API"),
        .init(#"{"error":{"code":404,"message":"Not found","status":"NOT_FOUND"}}"#, "an error of a Google API"),
        .init(#"{"error":"invalid_grant","error_description":"Bad Request"}"#, "an error of an OAuth server"),
        .init(#"{"status":21002}"#, "an answer of the verifyReceipt endpoint"),
        .init(purchase, "a Google Play purchase without its signature"),
        .init(
            String(purchase.dropLast()) + #","signature":"AAAA"}"#,
            "a Google Play purchase with its signature, but without the signed text: its members were decoded"),
        .init(
            #"{"productId":"c","originalJson":"","signature":" "}"#,
            "JSON in which originalJson and signature are empty"),
        .init(#"{"receipt-data":null}"#, "JSON in which receipt-data is empty"),
        .init(#"{"transaction_id":"1"}"#, "JSON with a transaction ID of the App Store"),
        .init(#"{"a":{"orderId":"GPA.1"}}"#, "JSON with a Google order ID"),
        .init(
            #"{"voidedPurchases":[{"orderId":"GPA.1-2-3-4"}]}"#,
            "a list of voided purchases from the Play Developer API"),
        .init(#"{"signedData":"","signature":"\#(signature)"}"#, "a Google Play purchase whose data are empty"),
        .init(#"{"data":"undefined","signature":"\#(signature)"}"#, "a Google Play purchase whose data are empty"),
        .init(#"{"signedData":null,"signature":"\#(signature)"}"#, "a Google Play purchase whose data are empty"),
        .init(#"{"data":"\#(quoted)","signature":""}"#, "a Google Play purchase whose signature is empty"),
        .init(#"{"originalJson":"\#(quoted)","signature":"null"}"#, "a Google Play purchase whose signature is empty"),
        .init(#"{"data":"\#(quoted)","signature":"undefined"}"#, "a Google Play purchase whose signature is empty"),
        .init(#"{"data":"\#(quoted)","signature":null}"#, "a Google Play purchase without its signature"),
        .init(#"{"data":"null","signature":"null"}"#, "a Google Play purchase whose data and signature are empty"),
        .init(base64(externalToken), "an external purchase token"), .init(externalToken, "an external purchase token"),
        .init(base64(#"{"a":1,"b":[true,false]}"#), "the base64 of JSON"),
        .init("INAPP_PURCHASE_DATA=\(purchase)", "a Google Play purchase without its signature"),
        .init(#"{"signedData":\#(purchase),"signature":"AAAA"}"#, "a Google Play purchase whose data are decoded"),
        .init(
            #"{"kind":"androidpublisher#productPurchase","purchaseState":0}"#, "an answer of the Play Developer API"),
        .init(#"{"transactionId":"1","bundleId":"a.b.c"}"#, "the decoded payload of a transaction"),
        .init(#"{"notificationType":"TEST","notificationUUID":"1"}"#, "the decoded payload of a notification"),
        .init(
            #"{"autoRenewProductId":"a","originalTransactionId":"1"}"#, "the decoded payload of a renewal info"),
        .init(#"{"alg":"ES256","x5c":[]}"#, "the header of a JWS"),
        .init(#"{"kty":"EC","crv":"P-256"}"#, "a public key"),
        .init(#"{"kty":"EC","crv":"P-256","d":"AAAA"}"#, "a private key"),
        .init(
            #"{"type":"service_account","private_key":"-"}"#, "the private key of a service account"),
    ]

    static let files: [Sample] = [
        .init([0x1F, 0x8B, 8, 0, 0], "gzip data"), .init([0x50, 0x4B, 3, 4, 20], "a zip archive"),
        .init([0x28, 0xB5, 0x2F, 0xFD, 0], "zstd data"), .init([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz data"),
        .init("BZh91AY", "bzip2 data"), .init("PAR1\u{15}", "a Parquet file"),
        .init([0x50, 0x4B, 3, 4] + [UInt8]("[Content_Types].xml xl/workbook.xml".utf8), "an Excel workbook"),
        .init([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1, 0], "an Excel workbook"),
        .init(Base64.standard.encode([0x1F, 0x8B] + [UInt8](repeating: 7, count: 20)), "the base64 of gzip data"),
        .init("%PDF-1.7", "a PDF document"), .init([0x89, 0x50, 0x4E, 0x47, 13], "an image"),
        .init([0xFF, 0xD8, 0xFF, 0xE0], "an image"), .init("SQLite format 3\0", "a SQLite database"),
        .init("bplist00\u{1}", "a binary property list"), .init("<!DOCTYPE html>\n<title>x</title>", "an HTML page"),
        .init("<html><p>Order ID: <b>MK5TTJQFXG</b></p></html>", "an Apple order ID"),
        .init("<html><p>Error 200000000000042</p></html>", "an HTML page"),
        .init("<?xml version=\"1.0\"?>\n<plist version=\"1.0\"/>", "a property list"),
        .init(
            "0000000   0 202 025 221 006  \\t   * 206   H 206 367  \\r 001  \\a 002 240\n",
            "an app receipt as od -c prints it"),
        .init("0M-^BM-^Q^F\t*M-^FHM-^FM-w^M^A^G^B", "an app receipt as cat -v prints it"),
        .init("0\u{FFFD}\u{15}\u{6}\t*\u{FFFD}H\u{FFFD}\u{FFFD}\r", "an app receipt that was decoded as UTF-8"),
        .init("0\u{82}\u{15}\u{6}\t*\u{86}H\u{86}\u{F7}\r", "an app receipt that was decoded as Latin-1"),
        .init("0\u{201A}\u{6}\t*\u{2020}H\u{2020}\u{F7}\r", "an app receipt that was decoded as Windows-1252"),
        .init(pem("CERTIFICATE"), "a certificate"), .init(pem("CERTIFICATE REQUEST"), "a certificate request"),
        .init(pem("PUBLIC KEY"), "a public key"), .init("ssh-ed25519 AAAAC3Nz a@b", "a public key"),
        .init(pem("PRIVATE KEY"), "a private key"), .init("My key:\n" + pem("EC PRIVATE KEY"), "a private key"),
        .init(pem("ENCRYPTED PRIVATE KEY"), "a private key"),
        .init(pem("CERTIFICATE") + pem("RSA PRIVATE KEY"), "a private key"),
    ]

    @Test("an input that is no receipt is named, undecided, and has a hint of its own", arguments: ids + json + files)
    func isNamed(sample: Sample) throws {
        #expect(!SearchedInput(sample.bytes).isFoundBySearch)
        let failure = try #require(ReceiptVerifier().verifyInput(sample.bytes).failure)
        #expect(failure.code == .notAReceipt)
        #expect(failure.verdict == .undecided)
        #expect(failure.actual == sample.name)
        #expect(failure.hint != VerificationFailure.Code.notAReceipt.hint)
        #expect(failure.hint.first?.isLowercase == true && !failure.hint.hasSuffix("."), "\(failure.hint)")
    }

    @Test("the corpus has the promised size, and a certificate, a key and a compressed receipt are named in DER too")
    func size() throws {
        #expect((Self.ids + Self.json + Self.files).count >= 40)
        let authority = try #require(Fixture.authority)
        #expect(ForeignInput(recognizing: authority.rootCertificate)?.name == "a certificate")
        let base64 = [UInt8](Base64.standard.encode(authority.rootCertificate).utf8)
        #expect(ForeignInput(recognizing: base64)?.name == "the base64 of a certificate")
        let key = try TestPlayKey(bits: 1024).publicKey
        #expect(ForeignInput(recognizing: [UInt8](key.utf8))?.name == "the base64 of a public key")
        #expect(ForeignInput(recognizing: [0x1F, 0x8B])?.hint.contains("zcat") == true)
    }

    @Test("nothing, and nothing but white space, is undecided as in a batch", arguments: ["", " \n", "\u{FEFF}"])
    func nothing(text: String) {
        let failure = ReceiptVerifier().verifyInput([UInt8](text.utf8)).failure
        #expect(failure?.code == .empty)
        #expect(failure?.verdict == .undecided)
    }

    @Test(
        "text of no known kind is unrecognized and undecided",
        arguments: [
            "hello", "see below, thanks", "null", "{}", "[1,2]", "example.com", "ID 42", "{\"data\":\"{}\"}",
            "{\"status\":0,\"message\":\"ok\"}", "{\"message\":{\"data\":\"aGVsbG8\"}}",
            "{\"error\":{\"message\":\"no\"}}", "20251122103000", "1700000000000000000", "www.example.com", "a.tar.gz",
            "com.example.json", "@example.com", "BZhou", "ssh-copy-id", "{\"errors\":[{\"status\":\"401\"}]}",
        ])
    func unknown(text: String) {
        let failure = ReceiptVerifier().verifyInput([UInt8](text.utf8)).failure
        #expect(failure?.code == .formatUnrecognized)
        #expect(failure?.verdict == .undecided)
    }

    @Test("only a private key is a secret, and it is found beside a receipt")
    func secrets() throws {
        let text = try Fixture.jws() + "\n" + Self.pem("PRIVATE KEY")
        #expect(ForeignInput.privateKey(in: [UInt8](text.utf8)) != nil)
        #expect(ForeignInput.privateKey(in: [UInt8](Self.pem("CERTIFICATE").utf8)) == nil)
        #expect(ForeignInput.privateKey(in: [UInt8](try Fixture.jws().utf8)) == nil)
    }

    @Test("a private key is found behind any number of certificates, any length of text, and in UTF-16")
    func hiddenSecrets() {
        let key = Self.pem("EC PRIVATE KEY")
        let certificates = String(repeating: Self.pem("CERTIFICATE"), count: 20)
        let long = String(repeating: "no key here, ", count: 30_000)
        for text in [certificates + key, long + key, "-" + key, "-----BEGIN X\n" + key, "-----BEGIN -----" + key] {
            let bytes = [UInt8](text.utf8)
            #expect(ForeignInput.privateKey(in: bytes) != nil)
            #expect(ForeignInput(recognizing: bytes)?.isSecret == true)
        }
        let utf16 = "key: \(key)".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(ForeignInput.privateKey(in: utf16) != nil)
        for text in ["PRIVATE KEY", "-----BEGIN ", "-----BEGIN PRIVATE KEY", certificates + "PRIVATE KEY", long] {
            #expect(ForeignInput.privateKey(in: [UInt8](text.utf8)) == nil)
        }
    }
}
