import Foundation
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Signature vectors in batches")
struct SignatureVectorTests {
    private struct Vector {
        var id: Int64
        var message: [UInt8]
        var signature: [UInt8]
        var isValid: Bool
    }

    private func groups() throws -> [JSONObject] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = [UInt8](try Data(contentsOf: folder.appending(path: "TestVectors/es256.json")))
        let groups = (try? JSONDocument.value(of: text))?.object?["groups"]?.elements
        return try #require(groups).compactMap(\.object)
    }

    private func key(_ form: JSONObject) -> ES256PublicKey? {
        let value = form["value"]?.text ?? ""
        let bytes = Base64.standard.decode(value) ?? []
        return switch form["form"]?.text {
        case "spki-der": try? ES256PublicKey(derRepresentation: bytes)
        case "spki-pem": try? ES256PublicKey(pemRepresentation: value)
        case "x963": try? ES256PublicKey(x963Representation: bytes)
        default: try? ES256PublicKey(certificateDER: bytes)
        }
    }

    @Test(
        "[CARD-8] [CARD-2] each ES256 vector has the expected verdict in a batch, with and without a table",
        arguments: [true, false])
    func vectorsAgree(isPrepared: Bool) throws {
        var count = 0
        for group in try groups() {
            guard let key = key(group["publicKey"]?.object ?? [:]) else { continue }
            let place = try #require(PreparedKeyBudget(capacity: 1).take())
            let table = isPrepared ? try PreparedKey(key.key, in: place) : nil
            let vectors = (group["tests"]?.elements ?? []).compactMap(\.object).compactMap { test -> Vector? in
                guard let id = test["id"]?.integer, let valid = test["valid"],
                    let message = test["message"]?.text.flatMap(Base64.standard.decode),
                    let signature = test["signature"]?.text.flatMap(Base64.standard.decode)
                else { return nil }
                return Vector(id: id, message: message, signature: signature, isValid: valid == .boolean(true))
            }
            var start = 0
            while start < vectors.count {
                let end = min(start + SignatureBatch.capacity, vectors.count)
                try verify(vectors[start..<end], key, table)
                start = end
            }
            count += vectors.count
        }
        #expect(count > 50)
    }

    private func verify(_ vectors: ArraySlice<Vector>, _ key: ES256PublicKey, _ table: PreparedKey?) throws {
        var batch = try SignatureBatch()
        for vector in vectors {
            var signature = ReusableBytes()
            _ = unsafe signature.replace(capacity: vector.signature.count) { target in
                for (offset, byte) in vector.signature.enumerated() { unsafe target[offset] = byte }
                return vector.signature.count
            }
            _ = batch.add(signature, over: try SHA256Digest.of(bytes: vector.message), by: key.key, table)
        }
        batch.verify()
        for (number, vector) in vectors.enumerated() {
            let verdict = try batch.verdict(number).get()
            #expect((verdict == .valid) == vector.isValid, "vector \(vector.id)")
            if let fast = try batch.fastVerdict(number) { #expect(fast == verdict, "vector \(vector.id)") }
        }
    }
}
