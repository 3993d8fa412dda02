import PurchaseCore
import PurchaseStorage
import ReceiptTypes
import ReceiptVerification

/// The keys of a verifier's cache, which are also in the sealed store.
final class KeptVerificationKeys: Sendable {
    private struct State {
        var stored: Set<VerificationKey> = []
        /// The keys that could not be stored; they are tried again with the next new one.
        var failed: Set<VerificationKey>?
        /// The last failure that was logged.
        var warning: KeyCacheWarning?
    }

    private let cache: VerificationKeyCache
    private let storage: SealedKeyCacheStorage
    private let log: any PurchaseLog
    private let state = Locked(State())

    /// Adds the stored keys to a cache; ones that cannot be read are found again with the next receipts.
    init(_ cache: VerificationKeyCache, _ storage: SealedKeyCacheStorage, log: any PurchaseLog) {
        self.cache = cache
        self.storage = storage
        self.log = log
        if let warning = cache.load(from: storage, sealingKey: storage.sealingKey) {
            report(warning)
        } else {
            let keys = Set(cache.keys)
            state.withLock { $0.stored = keys }
        }
    }

    /// Stores the keys of the cache if there are others than the last time.
    func storeNew() {
        let keys = Set(cache.keys)
        guard state.withLock({ $0.stored != keys && $0.failed != keys }) else { return }
        do throws(KeyCacheWarning) {
            try cache.save(to: storage, sealingKey: storage.sealingKey)
            state.withLock { ($0.stored, $0.failed) = (keys, nil) }
        } catch {
            state.withLock { $0.failed = keys }
            report(error)
        }
    }

    /// Removes all keys from the cache and from the sealed store.
    func removeAll(from secrets: SealedStore) async throws(SealedStoreError) {
        cache.removeAll()
        state.withLock { $0.stored = [] }
        try await secrets.remove(PurchaseFiles.verificationKeysName)
    }

    private func report(_ warning: KeyCacheWarning) {
        let isNew = state.withLock { state in
            defer { state.warning = warning }
            return state.warning != warning
        }
        if isNew { log.log(PurchaseLogEvent(.storageFailed, detail: "verification keys: \(warning)")) }
    }
}

/// A verifier that stores the key of each new signer, so that the next launch verifies without the chain.
struct KeyKeepingVerifier: TransactionVerifying {
    let base: any TransactionVerifying
    let keys: KeptVerificationKeys

    var hasLastingVerdicts: Bool { base.hasLastingVerdicts }

    func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSTransactionDecodedPayload> {
        let result = await base.verifyTransaction(jws, at: now)
        keys.storeNew()
        return result
    }

    func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        let result = await base.verifyRenewalInfo(jws, at: now)
        keys.storeNew()
        return result
    }

    func verifyPlayPurchase(_ purchase: SignedPlayPurchase, at now: Timestamp) async -> VerificationResult<Transaction>
    {
        // A Play purchase is verified with the app's own key, which is not in the cache.
        await base.verifyPlayPurchase(purchase, at: now)
    }
}
