import PurchaseCore
import PurchaseStorage
import ReceiptTypes
import ReceiptVerification

/// The keys of a verifier's cache, which are also in the sealed store.
///
/// Files can be slow or locked, so keys are read and stored on threads of their own. The first verdict waits until the
/// stored keys are read; none waits until new ones are stored. What is new while keys are stored is stored next, so one
/// thread at a time stores.
final class KeptVerificationKeys: Sendable {
    private struct State {
        /// The task that reads the stored keys; nil until they are needed.
        var loading: Task<Void, Never>?
        var stored: Set<VerificationKey> = []
        /// The keys that could not be stored; they are tried again with the next new one, and by ``flush()``.
        var failed: Set<VerificationKey>?
        /// The last failure that was logged.
        var warning: KeyCacheWarning?
        /// The task that stores keys; nil if there is nothing to store.
        var running: Task<Void, Never>?
    }

    private let cache: VerificationKeyCache
    private let storage: any VerificationKeyStorage
    private let sealingKey: SealingKey
    private let reload: @Sendable () async -> Void
    private let log: any PurchaseLog
    private let state = Locked(State())

    /// Connects a cache and a storage; nothing is read until it is needed.
    ///
    /// - Parameter reload: Makes the storage read its own key again, which another process can have rotated.
    init(
        _ cache: VerificationKeyCache, _ storage: any VerificationKeyStorage, sealingKey: SealingKey,
        log: any PurchaseLog, reload: @escaping @Sendable () async -> Void
    ) {
        self.cache = cache
        self.storage = storage
        self.sealingKey = sealingKey
        self.reload = reload
        self.log = log
    }

    /// The keys of a cache and of a sealed store.
    convenience init(_ cache: VerificationKeyCache, _ files: PurchaseFiles, log: any PurchaseLog) {
        self.init(cache, files.verificationKeys, sealingKey: files.verificationKeys.sealingKey, log: log) {
            [secrets = files.secrets] in
            // The names are read with the keys of the provider if those in memory do not fit.
            _ = try? await secrets.names()
        }
    }

    // MARK: Reading

    /// Adds the stored keys to the cache, once; ones that cannot be read are found again with the next receipts.
    func load() async {
        let loading = state.withLock { state in
            let loading = state.loading ?? Task.detached { await self.loadAll() }
            state.loading = loading
            return loading
        }
        await loading.value
    }

    private func loadAll() async {
        let warning = await onThread { self.cache.load(from: self.storage, sealingKey: self.sealingKey) }
        if let warning { return report(warning) }
        let keys = Set(cache.keys)
        state.withLock { $0.stored = keys }
    }

    // MARK: Storing

    /// Begins to store the keys of the cache if there are others than the last time; returns at once.
    func storeNew() {
        state.withLock { state in
            guard state.running == nil, keysToStore(state) != nil else { return }
            state.running = Task.detached { await self.storeAll() }
        }
    }

    /// Returns when nothing is left to store; what could not be stored before is tried once more.
    func flush() async {
        // Without the stored keys, the ones that are new would replace them.
        await load()
        state.withLock { $0.failed = nil }
        storeNew()
        await state.withLock(\.running)?.value
    }

    /// Removes all keys from the cache and from the sealed store.
    func removeAll(from secrets: SealedStore) async throws(SealedStoreError) {
        // What is read after the removal would come back.
        await load()
        cache.removeAll()
        await state.withLock(\.running)?.value
        try await secrets.remove(PurchaseFiles.verificationKeysName)
        // A key that was stored in between is gone, so it counts as new.
        state.withLock { $0.stored = [] }
    }

    private func keysToStore(_ state: State) -> Set<VerificationKey>? {
        let keys = Set(cache.keys)
        return state.stored != keys && state.failed != keys ? keys : nil
    }

    private func storeAll() async {
        while let keys = nextKeys() {
            do throws(KeyCacheWarning) {
                try await save()
                state.withLock { ($0.stored, $0.failed) = (keys, nil) }
            } catch {
                state.withLock { $0.failed = keys }
                report(error)
            }
        }
    }

    /// Returns the keys to store; without any, the task that stores has ended.
    private func nextKeys() -> Set<VerificationKey>? {
        state.withLock { state in
            // Under the lock, so that a key either is found here or starts the next task.
            let keys = keysToStore(state)
            if keys == nil { state.running = nil }
            return keys
        }
    }

    private func save() async throws(KeyCacheWarning) {
        let warning = await onThread { () -> KeyCacheWarning? in
            do throws(KeyCacheWarning) {
                try self.cache.save(to: self.storage, sealingKey: self.sealingKey)
                return nil
            } catch {
                return error
            }
        }
        if let warning { throw warning }
    }

    /// Runs a call on a thread of its own, and again if another process has rotated the key of the sealed store.
    private func onThread(_ call: @escaping @Sendable () -> KeyCacheWarning?) async -> KeyCacheWarning? {
        let warning = await OpenSSL.onThread(call)
        guard warning?.code == .key else { return warning }
        await reload()
        return await OpenSSL.onThread(call)
    }

    private func report(_ warning: KeyCacheWarning) {
        let isNew = state.withLock { state in
            defer { state.warning = warning }
            return state.warning != warning
        }
        if isNew { log.log(PurchaseLogEvent(.storageFailed, detail: "verification keys: \(warning)")) }
    }
}

/// A verifier that keeps the key of each new signer, so that the next launch verifies without the chain.
struct KeyKeepingVerifier: TransactionVerifying {
    let base: any TransactionVerifying
    let keys: KeptVerificationKeys

    var hasLastingVerdicts: Bool { base.hasLastingVerdicts }

    func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSTransactionDecodedPayload> {
        await keys.load()
        let result = await base.verifyTransaction(jws, at: now)
        keys.storeNew()
        return result
    }

    func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        await keys.load()
        let result = await base.verifyRenewalInfo(jws, at: now)
        keys.storeNew()
        return result
    }

    func verifyPlayPurchase(_ purchase: SignedPlayPurchase, at now: Timestamp) async -> VerificationResult<Transaction>
    {
        // A Play purchase is verified with the app's own key, which is not in the cache.
        await base.verifyPlayPurchase(purchase, at: now)
    }

    func verifyAppReceipt(_ receipt: SignedAppReceipt, at now: Timestamp) async -> VerificationResult<AppReceipt> {
        await keys.load()
        let result = await base.verifyAppReceipt(receipt, at: now)
        keys.storeNew()
        return result
    }
}
