import PurchaseCore
import ReceiptTypes

/// Claims in memory with defects.
///
/// Without any, it still compares the keys after Unicode normalization.
struct ClaimTable: Sendable {
    private let claims = Shared<[String: FulfilmentClaim]>([:])
    private let lastNumber = Shared(0)
    /// The ends that were asked for.
    private let ends = Shared<[Int: Timestamp]>([:])
    var isStartExact = false
    var isEndExcluded = false
    var ignoresStart = false
    var isUnlimited = false
    var releasesAny = false
    var renewsAny = false
    var forgetsAtRenewal = false
    var forgetsAtRelease = false
    var numbersByCount = false
    var survivesGrant = false
    var grantEndsAny = false
    var grantsWithoutClaim = false
    var comparesTimes = false
    var isAtomic = true

    /// Replaces the claims of a journal.
    func patch(_ journal: inout PatchedJournal) {
        journal.claiming = { _, key, start, end throws(JournalError) in
            let earlier = claims.value[key.description]
            if let earlier, isInForce(earlier, at: start) { return nil }
            if !isAtomic { for _ in 0..<10 { await Task.yield() } }
            let number =
                numbersByCount
                ? claims.value.count + 1
                : lastNumber.change {
                    $0 += 1; return $0
                }
            let claim = FulfilmentClaim(
                key: key, number: number, start: start, end: end, followsUnanswered: earlier != nil)
            claims.change { $0[key.description] = claim }
            ends.change { $0[number] = end }
            return claim
        }
        journal.renewing = { _, claim, start, end throws(JournalError) in
            claims.change { claims in
                let known = stored(claim, claims)
                guard let base = known ?? (renewsAny ? claim : nil) else { return nil }
                let renewed =
                    forgetsAtRenewal
                    ? FulfilmentClaim(key: base.key, number: base.number, start: start, end: end)
                    : base.renewed(from: start, until: end)
                claims[claim.key.description] = renewed
                ends.change { $0[base.number] = end }
                return renewed
            }
        }
        journal.releasing = { _, claim throws(JournalError) in
            claims.change { claims in
                guard let released = releasesAny ? claims[claim.key.description] : stored(claim, claims) else { return }
                claims[claim.key.description] = forgetsAtRelease ? nil : released.afterRelease
            }
        }
        journal.granting = { base, jws, fulfilment, claim throws(JournalError) in
            let stage = try await base.entries().first { $0.transaction.signedText == jws }?.stage ?? .observed
            let done = try await base.fulfilment(of: claim.key)
            let known = stored(claim, claims.value)
            let isRepeated = stage >= .granted && done == fulfilment
            let isHeld = known != nil && (!comparesTimes || known == claim)
            if !isRepeated && !isHeld && !grantsWithoutClaim && stage >= .recorded {
                throw JournalError(.claimLost, "")
            }
            try await base.markGrantedAlone(signedText: jws, fulfilment, of: claim.key)
            if !survivesGrant, known != nil || grantEndsAny { claims.change { $0[claim.key.description] = nil } }
        }
    }

    private func stored(_ claim: FulfilmentClaim, _ claims: [String: FulfilmentClaim]) -> FulfilmentClaim? {
        guard let known = claims[claim.key.description], known.number == claim.number, !known.isReleased
        else { return nil }
        return known
    }

    private func isInForce(_ claim: FulfilmentClaim, at now: Timestamp) -> Bool {
        if isUnlimited, let end = ends.value[claim.number] { return claim.start <= now && now <= end }
        if isStartExact, now < claim.start { return false }
        if isEndExcluded, now >= claim.end { return false }
        return ignoresStart ? now <= claim.end : claim.isInForce(at: now)
    }
}

extension PurchaseJournal {
    /// Marks an entry as granted under a claim of this call alone, as a journal without claims does.
    func markGrantedAlone(
        signedText: String, _ fulfilment: FulfilledAmount, of key: PurchaseKey
    ) async throws(JournalError) {
        var claimed: FulfilmentClaim?
        // While another task has the claim, there is none for this one.
        for _ in 0..<10_000 where claimed == nil {
            claimed = try await claimFulfilment(of: key, from: .minimum, until: .minimum)
            if claimed == nil { await Task.yield() }
        }
        guard let claim = claimed else { throw JournalError(.claimLost, "the purchase is claimed") }
        do throws(JournalError) {
            try await markGranted(signedText: signedText, fulfilment, under: claim)
        } catch {
            try await release(claim)
            throw error
        }
    }
}
