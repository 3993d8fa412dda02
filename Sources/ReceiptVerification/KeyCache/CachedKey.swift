/// A key that the cache holds, with what makes it faster.
final class CachedKey: Sendable {
    let key: VerificationKey
    let preparation: KeyPreparation

    init(_ key: VerificationKey, _ preparation: KeyPreparation) {
        self.key = key
        self.preparation = preparation
    }

    /// Counts a good signature; gives the key's table once there is one.
    func countSignature() -> PreparedKey? {
        preparation.count(1, by: key.publicKey.key)
    }
}
