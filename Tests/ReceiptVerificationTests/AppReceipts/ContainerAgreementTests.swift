import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// Compares the reader of containers in DER with OpenSSL's parser of PKCS#7.
@Suite(
    "Containers of app receipts",
    .enabled(if: RealReceipts.arePresent, "the folder with app receipts is missing beside the repository")
)
struct ContainerAgreementTests {
    private func read(_ der: [UInt8]) -> SignedData? {
        der.withRawSpan { span in try? SignedData(reading: span) }
    }

    private func again(_ ber: [UInt8]) throws -> [UInt8]? {
        try ber.withRawSpan { (span) throws(CryptoFault) in try SignedData.der(fromBER: span) }
    }

    /// Returns whether all certificates of a container are in DER, which its reader does not look at.
    private func hasSoundCertificates(_ der: [UInt8], _ parts: SignedData) throws -> Bool {
        try parts.certificatePlaces.allSatisfy { try Certificate(der: [UInt8](der[$0])) != nil }
    }

    @Test("a genuine container is the same after OpenSSL has read and written it")
    func genuine() throws {
        for receipt in [RealReceipts.sha1, RealReceipts.decoded(RealReceipts.sha256)] {
            #expect(try again(receipt) == receipt)
            let parts = try #require(read(receipt))
            #expect(parts.certificateCount == 3)
            #expect(parts.signature.count == 256)
            #expect(try hasSoundCertificates(receipt, parts))
        }
        let xcode = RealReceipts.decoded(RealReceipts.xcode)
        #expect(read(xcode) == nil)
        let der = try #require(try again(xcode))
        #expect(read(der)?.certificateCount == 1)
        #expect(try again(der) == der)
    }

    @Test("reader and OpenSSL agree on what is DER when one byte of a container is changed")
    func changedBytes() throws {
        var generator = SplitMix64(seed: 14)
        for genuine in [RealReceipts.sha1, RealReceipts.decoded(RealReceipts.sha256)] {
            let parts = try #require(read(genuine))
            // Most bytes are contents of certificates and values, which neither parser looks at.
            var structure = [Int](0..<80)
            structure += parts.content.upperBound - 4..<parts.content.upperBound + 80
            structure += parts.certificates.upperBound - 8..<genuine.count - 240
            for _ in 0..<3000 {
                var bytes = genuine
                let index = structure[Int(generator.next() % UInt64(structure.count))]
                bytes[index] = UInt8(truncatingIfNeeded: generator.next())
                try requireAgreement(bytes)
            }
        }
    }

    @Test("reader and OpenSSL agree on containers with inserted, removed and repeated bytes")
    func movedBytes() throws {
        var generator = SplitMix64(seed: 15)
        let genuine = RealReceipts.decoded(RealReceipts.sha256)
        for _ in 0..<2000 {
            var bytes = genuine
            let start = Int(generator.next() % UInt64(bytes.count))
            let end = min(bytes.count, start + Int(generator.next() % 8))
            if generator.next() % 2 == 0 {
                bytes.removeSubrange(start..<end)
            } else {
                bytes.insert(contentsOf: bytes[start..<end], at: start)
            }
            try requireAgreement(bytes)
        }
    }

    private func requireAgreement(_ bytes: [UInt8]) throws {
        let rewritten = try again(bytes)
        guard let parts = read(bytes) else {
            // OpenSSL reads containers without certificates or signers too.
            return #expect(rewritten != bytes, "\(bytes)")
        }
        // What the reader accepts, OpenSSL accepts, and writes in the same way.
        guard try hasSoundCertificates(bytes, parts), parts.signerCount == 1, !parts.hasSignedAttributes,
            !parts.hasUnsignedAttributes, !parts.hasRevocationLists
        else { return }
        if rewritten != bytes { #expect(Self.isKnownDifference(bytes, parts), "\(bytes)") }
    }

    /// OpenSSL also reads the names and algorithms, which the rules for containers compare byte for byte.
    private static func isKnownDifference(_ der: [UInt8], _ parts: SignedData) -> Bool {
        var examination = Examination(isTracing: false)
        let container = try? AppReceiptContainer.read(der, &examination)
        return container == nil
    }
}
