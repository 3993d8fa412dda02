@testable internal import ReceiptVerification

/// A signature batch that is reused for every input, as a worker thread reuses its batch.
final class ReusedBatch {
    private var batch: SignatureBatch

    init() throws {
        batch = try SignatureBatch()
    }

    /// Verifies signatures up to the batch's capacity; returns the verdicts before and after rejections are confirmed.
    func verify(
        _ items: [(signature: KnownSignature, key: PublicKey, table: PreparedKey?)]
    ) throws -> [(first: PublicKey.SignatureVerdict?, last: PublicKey.SignatureVerdict)] {
        batch.removeAll()
        for (index, item) in items.enumerated() {
            var bytes = ReusableBytes()
            fill(&bytes, item.signature.bytes)
            let digest = must(SHA256Digest(bytes: item.signature.digest), "a digest")
            let number = batch.add(bytes, over: digest, by: item.key, item.table)
            requireEqual(number, index < SignatureBatch.capacity ? index : nil, "the number of a signature in a batch")
        }
        requireEqual(batch.count, min(items.count, SignatureBatch.capacity), "the number of signatures in a batch")
        batch.verify()
        var verdicts: [(first: PublicKey.SignatureVerdict?, last: PublicKey.SignatureVerdict)] = []
        for index in 0..<batch.count {
            verdicts.append((try batch.fastVerdict(index), try batch.verdict(index).get()))
        }
        return verdicts
    }

    private func fill(_ bytes: inout ReusableBytes, _ content: [UInt8]) {
        _ = bytes.replace(capacity: content.count) { target in
            for (offset, byte) in content.enumerated() { target[offset] = byte }
            return content.count
        }
    }
}
