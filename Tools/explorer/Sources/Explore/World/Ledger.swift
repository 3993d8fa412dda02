@testable import PurchaseCore
@testable import ReceiptTypes

extension LedgerRows {
    /// Performs what a service asks for with the product's rules, and returns the outcome.
    ///
    /// - Parameter now: The time that the transaction reads when it is made.
    mutating func perform(
        _ request: LedgerRequest, hasFulfiller: Bool, at now: Timestamp = Service.now
    ) throws(LedgerError) -> Outcome {
        switch request {
        case .lateStep(let work): return try perform(.step(work), hasFulfiller: hasFulfiller, at: now)
        case .step(.read(let key)):
            let stored = try purchase(key)
            let versions = stored.entries.map { RecordedVersion($0, Sample.transactions[$0.transaction.signedText]) }
            return .read(PurchaseVersions(versions: versions, handedOver: stored.handedOver, claim: stored.claim))
        case .step(.claim(let key)): return .claim(try claimFulfilment(of: key, from: now))
        case .step(.renew(let claim)): return .claim(try renew(claim, from: now))
        case .step(.release(let claim)):
            try release(claim)
            return .done
        case .step(.markGranted(let version, let amount, under: let claim)):
            try markGranted(version, amount, under: claim)
            return .done
        case .step(.markFinished(let version)):
            try markFinished(version)
            return .done
        case .record(let sample): return try record(sample, for: Sample.buyer, hasFulfiller: hasFulfiller)
        case .keep(let sample):
            guard let transaction = Sample.transactions[sample.signedText] else { return .notOwned }
            _ = try observe(sample.delivery, from: .update, at: now)
            _ = try markVerified(transaction, signedText: sample.signedText)
            return .notOwned
        }
    }

    /// Records a verified delivery in one commit with the beginning of its hand-over, as the service does.
    ///
    /// The source of the delivery is always the same, because no rule depends on it.
    mutating func record(
        _ sample: Sample, for account: UUIDText, hasFulfiller: Bool
    ) throws(LedgerError) -> Outcome {
        guard let transaction = Sample.transactions[sample.signedText] else { return .notOwned }
        var entry = try observe(sample.delivery, from: .update, at: Service.now)
        if entry.stage < .verified { entry = try markVerified(transaction, signedText: sample.signedText) }
        let text = entry.transaction.signedText
        let outcome = try record(transaction, signedText: text, for: account, at: Service.now)
        if case .conflict = outcome { return .notOwned }
        var claim: FulfilmentClaim?
        if outcome != .unchanged {
            claim = try beginHandOver(
                of: transaction, signedText: text, hasFulfiller: hasFulfiller, from: Service.now)
        }
        return .recorded(stage: entry.stage, kept: Sample(entry.transaction) ?? sample, claim)
    }
}

extension ValueRows {
    /// Makes the claim of a purchase older than it can be, unless it is already.
    mutating func age(_ item: Item) {
        guard let claim = claim(of: item.key), claim.isInForce(at: Service.now) else { return }
        put(claim.aged)
    }
}

extension FulfilmentClaim {
    /// The times of a claim that is over.
    static let agedStart = Service.now.adding(milliseconds: -2 * longestMilliseconds)
    static let agedEnd = Service.now.adding(milliseconds: -longestMilliseconds)

    /// The claim as it is when its time is over.
    var aged: Self { renewed(from: Self.agedStart, until: Self.agedEnd) }
}
