extension ReceiptVerifier {
    /// Verifies a receipt of any format and kind.
    public func verify(_ input: ReceiptInput) -> ReceiptReport {
        report(on: input, isTracing: false)
    }

    /// Verifies a receipt of any format and kind and records every check.
    ///
    /// The certificate chain is validated in full, even if its key is in the key cache.
    public func explain(_ input: ReceiptInput) -> ReceiptReport {
        report(on: input, isTracing: true)
    }

    /// Finds and verifies every receipt in an input; the verdict is the worst of all.
    ///
    /// A valid receipt says nothing about another one beside it, even in the same JSON object.
    public func verifyInput(_ text: [UInt8]) -> InputReport {
        var reports: [ReceiptReport] = []
        var detector = InputDetector(trials: SignatureTrials(playKeys))
        verify(detector.detectReceipts(in: text) ?? [.unrecognized(text)]) { reports.append($0) }
        return InputReport(reports: reports)
    }

    /// Verifies many receipts on this thread, at about half the cost of verifying them one by one.
    ///
    /// The reports come in the order of the receipts. Signatures are verified some hundreds at a time, so `body`
    /// receives a report only after more receipts have been read. For files and streams, several threads, and results
    /// as text, use ``BatchVerifier``.
    ///
    /// ```swift
    /// verifier.verify(receipts.lazy.map { .jws($0) }) { report in count[report.verdict, default: 0] += 1 }
    /// ```
    ///
    /// - Throws: The error that `body` throws.
    public func verify<Failure: Error>(
        _ inputs: some Sequence<ReceiptInput>,
        _ body: (ReceiptReport) throws(Failure) -> Void
    ) throws(Failure) {
        var round = ReceiptRound<Void>(self)
        for input in inputs {
            round.add(input, ())
            if round.isFull { try round.finish { (receipt, _, _) throws(Failure) in try body(ReceiptReport(receipt)) } }
        }
        try round.finish { (receipt, _, _) throws(Failure) in try body(ReceiptReport(receipt)) }
    }

    private func report(on input: ReceiptInput, isTracing: Bool) -> ReceiptReport {
        do throws(CryptoFault) {
            return try withSession { session in ReceiptReport(check(input, isTracing: isTracing, &session)) }
        } catch {
            return ReceiptReport(CheckedReceipt(isTracing: isTracing, undecidedBy: error))
        }
    }
}
