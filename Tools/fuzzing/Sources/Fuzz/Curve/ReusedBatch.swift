@testable internal import ReceiptVerification

/// One batch that judges again and again, as a worker's does.
final class ReusedBatch {
    private var batch: SignatureBatch

    init() throws {
        batch = try SignatureBatch()
    }

    /// Judges signatures as far as the batch takes them: before and after a refusal is confirmed.
    func judge(
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
