internal import Foundation

@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// Seeds from the test vectors of app receipts: the longest receipt of each group of a file.
///
/// `Tools/fuzz` runs in the package's folder.
enum VectorSeeds {
    /// Returns the receipts of a file of vectors, by the number of their test.
    static func receipts(in file: String) -> [(name: String, bytes: [UInt8])] {
        let text = FileManager.default.contents(atPath: "TestVectors/app-receipt-\(file).json") ?? Data()
        let document = must(try? JSONDocument.value(of: [UInt8](text)).object, "the vectors of \(file)")
        return (document["groups"]?.elements ?? []).compactMap(\.object).compactMap { group in
            let tests = (group["tests"]?.elements ?? []).compactMap(\.object)
            let receipts = tests.compactMap { test -> (name: String, bytes: [UInt8])? in
                guard let id = test["id"]?.integer, let bytes = receipt(of: test, in: group), bytes.count <= maximumSize
                else { return nil }
                return ("\(file)-\(id)", bytes)
            }
            return receipts.max { $0.bytes.count < $1.bytes.count }
        }
    }

    /// The longest input of the targets.
    private static let maximumSize = 4096

    /// Returns what is signed in the receipts of a file of vectors.
    static func contents(in file: String) -> [(name: String, bytes: [UInt8])] {
        receipts(in: file).compactMap { name, der in
            guard let parts = der.withRawSpan({ span in try? SignedData(reading: span) }) else { return nil }
            return (name, [UInt8](der[parts.content]))
        }
    }

    /// Returns the bytes of a receipt; nil for one that is a text or repeats a part of it, which is long.
    private static func receipt(of test: JSONObject, in group: JSONObject) -> [UInt8]? {
        guard let receipt = test["receipt"] else { return nil }
        let shared = group["shared"]?.elements ?? []
        var bytes: [UInt8] = []
        for part in receipt.elements ?? [receipt] {
            let text = part.text ?? part.integer.flatMap { shared[Int($0)].text }
            guard let octets = text.flatMap(Base64.standard.decode) else { return nil }
            bytes += octets
        }
        return bytes
    }
}
