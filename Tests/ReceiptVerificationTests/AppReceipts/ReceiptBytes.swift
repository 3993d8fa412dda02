import Foundation

@testable import ReceiptVerification

/// The app receipts beside the repository that Apple and Xcode signed.
enum RealReceipts {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "shared/realdata")

    /// A receipt of 2015 in DER, signed with SHA-1.
    static let sha1 = read("receipts/sandbox-2015-sha1.der")
    /// A receipt of 2025 in base64, signed with SHA-256.
    static let sha256 = read("receipts/sandbox-2025-sha256.b64")
    /// A receipt of Xcode in base64 of BER.
    static let xcode = read("receipts/xcode-2023.b64")

    static var arePresent: Bool { !sha1.isEmpty && !sha256.isEmpty && !xcode.isEmpty }

    private static func read(_ file: String) -> [UInt8] {
        (try? Data(contentsOf: folder.appending(path: file))).map { [UInt8]($0) } ?? []
    }

    /// Returns the bytes of a receipt without its base64.
    static func decoded(_ receipt: [UInt8]) -> [UInt8] {
        receipt.first == 0x30 ? receipt : InputDetector.looseBase64(InputDetector.trimmed(receipt)) ?? []
    }

    /// The certificate of Xcode's receipt, which is its root too.
    static var xcodeRoot: [UInt8] {
        get throws {
            let ber = decoded(xcode)
            let der = try ber.withRawSpan { (span) throws(CryptoFault) in try SignedData.der(fromBER: span) } ?? []
            let parts = try der.withRawSpan { (span) throws(SignedData.Malformed) in try SignedData(reading: span) }
            return [UInt8](der[parts.certificatePlaces[0]])
        }
    }
}

/// Writes elements of DER.
enum Element {
    static func make(_ identifier: UInt8, _ contents: [UInt8]) -> [UInt8] {
        let count = contents.count
        guard count > 127 else { return [identifier, UInt8(count)] + contents }
        var length: [UInt8] = []
        var rest = count
        while rest > 0 {
            length.insert(UInt8(rest & 255), at: 0)
            rest >>= 8
        }
        return [identifier, 0x80 | UInt8(length.count)] + length + contents
    }

    static func integer(_ value: Int64) -> [UInt8] {
        var bytes: [UInt8] = (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
        while bytes.count > 1, bytes[0] == 0 && bytes[1] < 0x80 || bytes[0] == 0xFF && bytes[1] >= 0x80 {
            bytes.removeFirst()
        }
        return make(0x02, bytes)
    }

    static func text(_ text: String) -> [UInt8] { make(0x0C, [UInt8](text.utf8)) }

    static func asciiText(_ text: String) -> [UInt8] { make(0x16, [UInt8](text.utf8)) }

    static func attribute(_ type: Int64, _ value: [UInt8], version: Int64 = 1) -> [UInt8] {
        make(0x30, integer(type) + integer(version) + make(0x04, value))
    }

    static func set(_ attributes: [[UInt8]]) -> [UInt8] { make(0x31, attributes.flatMap(\.self)) }

    static func purchase(_ attributes: [[UInt8]]) -> [UInt8] { attribute(17, set(attributes)) }

    /// The attributes that every receipt has, of a receipt of the sandbox.
    static let beginning = [
        attribute(0, text("ProductionSandbox")), attribute(2, text("com.example.app")),
        attribute(12, asciiText("2025-10-09T08:53:20Z")),
    ]
}
