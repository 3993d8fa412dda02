internal import ReceiptTypes

/// One validation of a chain that several threads may be waiting for.
///
/// The first thread that asks for the outcome computes it under the lock; the others get it when the lock comes free.
/// This lock is the waiting itself: it belongs to one chain, and nobody who has a key comes here.
final class ChainValidation: Sendable {
    /// The validated chain, or why it is refused.
    enum Outcome: Sendable {
        case valid(ValidatedChain)
        case refused(VerificationFailure)
    }

    private let result = Locked<Outcome?>(nil)

    func outcome(_ compute: () throws(CryptoFault) -> Outcome) throws(CryptoFault) -> Outcome {
        var fault: CryptoFault?
        let outcome = result.withLock { result -> Outcome? in
            if let result { return result }
            do throws(CryptoFault) {
                result = try compute()
            } catch {
                fault = error
            }
            return result
        }
        guard let outcome else { throw fault ?? .refused }
        return outcome
    }
}
