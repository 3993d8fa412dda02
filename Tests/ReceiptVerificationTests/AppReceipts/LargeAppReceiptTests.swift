import ReceiptTypes
import Testing

@testable import ReceiptTestAuthority
@testable import ReceiptVerification

/// Tests batches with app receipts that are larger than any other record may be.
@Suite("Large app receipts in batches")
struct LargeAppReceiptTests {
    /// Returns the base64 of a receipt of 1.2 MB.
    private func receipt() throws -> String {
        var contents = TestAppReceipt(try AppReceiptFixture.receipt())
        contents.attributes.append(.init(9999, .bytes([UInt8](repeating: 0x41, count: 1_200_000))))
        return Base64.standard.encode(try #require(AppReceiptFixture.authority).signer().sign(contents))
    }

    private func verifier() throws -> ReceiptVerifier {
        var anchors = TrustAnchors()
        try anchors.add(try #require(AppReceiptFixture.authority).rootCertificate)
        return ReceiptVerifier(
            trustAnchors: anchors, clock: { AppReceiptFixture.createdAt.adding(milliseconds: 1000) })
    }

    @Test("an app receipt of more than 1 MiB is verified in a line, a member, a column and a file")
    func formats() throws {
        let receipt = try receipt()
        let body = "{\"password\":\"x\",\"receipt\":\"\(receipt.replacing("/", with: "\\/"))\"}"
        let inputs: [(BatchFormat, String, Int)] = [
            (.lines, "\(receipt)\nAAAA\n\(receipt)", 3), (.json(field: "receipt"), "\(body)\n\(body)\n", 2),
            (.csv(column: "receipt"), "id,receipt,note\n1,\(receipt),a\n2,\"\(receipt)\",b\n", 2), (.whole, receipt, 1),
        ]
        for (format, text, count) in inputs {
            let run = try BatchRunner(format: format, jobs: 2, verifier: verifier())(text)
            let verdicts = run.rows.map { $0["verdict"]?.text }
            #expect(verdicts.count == count && verdicts.first == "verified" && verdicts.last == "verified", "\(format)")
        }
    }

    @Test("a record with an app receipt has a limit too, and another record keeps the lower one")
    func limits() throws {
        let long = String(repeating: "A", count: 14_000_000)
        let small = Base64.standard.encode(
            try #require(AppReceiptFixture.authority).signer().sign(TestAppReceipt(try AppReceiptFixture.receipt())))
        // The beginning of a receipt of 8 MiB, and one of nothing.
        let text = "MIOAAAAGCSqGSIb3DQEHAqCD\(long)\n\(small)\n\(long.prefix(1_100_000))\n\(small)\n"
        let run = try BatchRunner(verifier: verifier())(text)
        #expect(run.rows.map { $0["code"]?.text } == ["too-large", nil, "too-large", nil])
        #expect(run.rows.first?["expected"]?.text?.contains("13631488 with an app receipt") == true)
    }

    @Test("a large receipt is recognized by its beginning in DER and in base64")
    func beginnings() throws {
        let receipt = try receipt()
        let der = try #require(Base64.standard.decode(receipt)).prefix(40)
        for bytes in [[UInt8](receipt.utf8.prefix(40)), [UInt8](der), [0x30, 0x41] + der] {
            #expect(bytes.withRawSpan { AppReceiptForm.canBegin(in: $0) })
            #expect(![UInt8](bytes.prefix(12)).withRawSpan { AppReceiptForm.canBegin(in: $0) })
        }
    }
}
