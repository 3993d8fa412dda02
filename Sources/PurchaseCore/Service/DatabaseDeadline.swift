extension PurchaseTimer {
    /// Returns the value of a call to the database, or throws `busy` if it takes longer than 30 seconds.
    ///
    /// The call is then cancelled and can still make its change, so only a call that may be repeated is bounded.
    package func databaseAnswer<Value: Sendable>(
        to call: @escaping @Sendable () async throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        let deadline: Int64 = 30_000
        let answer = await answer(within: deadline) { () async -> Result<Value, DatabaseError> in
            do throws(DatabaseError) {
                return .success(try await call())
            } catch {
                return .failure(error)
            }
        }
        guard let answer else {
            throw DatabaseError(.busy, "the database did not answer within \(deadline) ms")
        }
        return try answer.get()
    }
}
