package import PurchaseCore

extension PurchaseTimer {
    /// Returns the answer of the place of the keys, or throws `keys-timed-out` after the deadline.
    ///
    /// The call is then cancelled, and its answer ignored.
    package func keyAnswer<Answer: Sendable>(
        within milliseconds: Int64, to call: @escaping @Sendable () async throws(SealedStoreError) -> Answer
    ) async throws(SealedStoreError) -> Answer {
        let answer = await answer(within: milliseconds) { () async -> Result<Answer, SealedStoreError> in
            do throws(SealedStoreError) {
                return .success(try await call())
            } catch {
                return .failure(error)
            }
        }
        guard let answer else {
            throw SealedStoreError(.keysTimedOut, "the key provider did not answer within \(milliseconds) ms")
        }
        return try answer.get()
    }
}
