import ReceiptTypes
import ReceiptVerification

/// Receipts verified one at a time, as a server verifies them.
struct SingleCases {
    let stopwatch: Stopwatch
    /// The number of receipts.
    let count: Int

    /// Measures receipts of a known signer whose key is prepared.
    func warm() throws -> [Figure] {
        let material = try Material(signers: 1)
        let receipts = Self.receipts(in: try material.transactions(count))
        let verifier = try material.verifier()
        try Self.verify(receipts.prefix(1000), by: verifier)
        let ratios = try stopwatch.ratios(signatures: count) {
            try Elapsed.measure { try Self.verify(receipts[...], by: verifier) }
        }
        return [Figure("single-warm", "one at a time, the signer's key known and prepared", ratios)]
    }

    /// Measures receipts of unknown signers: two take turns, and the cache has room for one key.
    func cold() throws -> [Figure] {
        let count = max(count / 50, 50)
        let material = try Material(signers: 2)
        let receipts = Self.receipts(in: try material.transactions(count))
        let verifier = try material.verifier(cacheCapacity: 1)
        let chain = material.authority.signer.chain
        var toRaw: [Ratio] = []
        var toValidation: [Ratio] = []
        for _ in 0..<stopwatch.rounds {
            let raw = try stopwatch.raw()
            let validation = try stopwatch.rawValidation(of: chain, count: count)
            let time = try Elapsed.measure { try Self.verify(receipts[...], by: verifier) }
            let validations = Elapsed.mean(validation, try stopwatch.rawValidation(of: chain, count: count))
            let raws = Elapsed.mean(raw, try stopwatch.raw())
            toRaw.append(Ratio(of: raws * Double(count), to: time))
            toValidation.append(Ratio(of: validations * Double(count), to: time))
        }
        guard verifier.keyCache.statistics.hits == 0 else {
            throw Failure("the key cache was hit, so the case is not cold")
        }
        return [
            Figure("single-cold", "one at a time, the chain validated each time", toRaw),
            Figure(
                "single-cold-to-chain", "the same against decoding and verifying the certificates alone", toValidation),
        ]
    }

    private static func receipts(in lines: [UInt8]) -> [String] {
        lines.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func verify(_ receipts: ArraySlice<String>, by verifier: ReceiptVerifier) throws {
        for receipt in receipts {
            if case .unverified(let failure) = verifier.verifyTransaction(receipt) {
                throw Failure("a valid receipt was rejected: \(failure)")
            }
        }
    }
}
