import ReceiptTypes
import ReceiptVerification

/// Receipts one by one, as a server that answers a purchase verifies them.
struct SingleCases {
    let stopwatch: Stopwatch
    /// How many receipts there are.
    let count: Int

    /// The signer is known, and so often seen that its key is prepared.
    func warm() throws -> [Figure] {
        let material = try Material(signers: 1)
        let receipts = Self.receipts(in: try material.transactions(count))
        let verifier = try material.verifier()
        try Self.verify(receipts.prefix(1000), by: verifier)
        let ratios = try stopwatch.ratios(signatures: count) {
            try Elapsed.measure { try Self.verify(receipts[...], by: verifier) }
        }
        return [Figure("single-warm", "one by one, the signer's key known and prepared", ratios)]
    }

    /// No signer is known: two take turns, and there is place for one key.
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
        guard verifier.keyCache.statistics.hits == 0 else { throw Failure("a key was found that should not be known") }
        return [
            Figure("single-cold", "one by one, the chain validated each time", toRaw),
            Figure(
                "single-cold-to-chain", "the same against reading and verifying the certificates alone", toValidation),
        ]
    }

    private static func receipts(in lines: [UInt8]) -> [String] {
        lines.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func verify(_ receipts: ArraySlice<String>, by verifier: ReceiptVerifier) throws {
        for receipt in receipts {
            if case .unverified(let failure) = verifier.verifyTransaction(receipt) {
                throw Failure("a good receipt was refused: \(failure)")
            }
        }
    }
}
