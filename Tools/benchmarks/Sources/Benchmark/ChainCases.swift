import ReceiptVerification

/// A batch in which no two receipts share a chain.
struct ChainCases {
    let stopwatch: Stopwatch
    /// The number of chains.
    let count: Int

    /// Measures leaves with a key each, all issued by one intermediate, as the App Store's are.
    func manyChains() throws -> [Figure] {
        let material = try Material(signers: count)
        let run = BatchRun(lines: try material.transactions(count), count: count)
        let chain = material.authority.signer.chain
        let repetitions = max(count / 20, 50)
        var (toValidation, toRaw): ([Ratio], [Ratio]) = ([], [])
        for _ in 0..<stopwatch.rounds {
            let rawBefore = try stopwatch.raw()
            let before = try stopwatch.rawValidation(of: chain, count: repetitions)
            let time = try run.measure(by: material.verifier())
            let validation = Elapsed.mean(before, try stopwatch.rawValidation(of: chain, count: repetitions))
            let raw = Elapsed.mean(rawBefore, try stopwatch.raw())
            toValidation.append(Ratio(of: validation * Double(count), to: time))
            toRaw.append(Ratio(of: raw * Double(count), to: time))
        }
        return [
            Figure(
                "chains", "\(count) chains with one receipt each, against decoding and verifying certificates alone",
                toValidation),
            Figure("chains-to-raw", "the same against one raw verification each", toRaw),
        ]
    }
}
