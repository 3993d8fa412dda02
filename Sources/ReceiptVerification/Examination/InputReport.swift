public import ReceiptTypes

/// The outcome of verifying all receipts in one input.
public struct InputReport: Sendable {
    /// The outcome of each receipt in the order of the input; at least one.
    public let reports: [ReceiptReport]

    /// The worst verdict of all receipts, in the order unverified, undecided, verified.
    public var verdict: Verdict { reports.reduce(.verified) { $0.combined(with: $1.verdict) } }

    /// The failure of the first receipt with the worst verdict; nil if all receipts are verified.
    public var failure: VerificationFailure? { reports.first { $0.verdict == verdict }?.failure }
}
