public import ReceiptTypes

// The life of a signer's key
//
// 1. A receipt brings a header segment that its thread has not met (`Signers`). The cache is asked by the header
//    segment and then by the certificate chain inside it.
// 2. The cache holds neither: the chain is validated, once for all threads that miss it at the same time. The thread
//    keeps the outcome as a `Signer`; the cache does not take it yet.
// 3. A receipt verifies under the key, signature and dates: `insert` keeps the key as a `CachedKey`, together with the
//    header segment. A sender of forged receipts therefore changes nothing in the cache, and the thread drops a
//    `Signer` without a verified receipt at the end of the round.
// 4. Later receipts of the thread find the `Signer` without a lock. Each one that verifies counts in the `CachedKey`,
//    which computes a precomputed table (`PreparedKey`) after `CachedKey.preparationThreshold` signatures, if the
//    `PreparedKeyBudget` has a place for it. With a table, receipts take no lock at all.
// 5. At the end of each round the signer reports its receipts to the cache, which counts hits and the time of use.
// 6. When the cache is full, the key that was used least recently goes. Threads that use it go on until their next
//    round.

/// The keys of signers whose certificate chains have been validated, so that each chain is validated once and then
/// verifies receipts offline.
///
/// - An entry serves exactly one chain under exactly one set of roots, for signing times at which all its certificates
///   are valid.
/// - An entry is made only after a receipt has verified under the key.
/// - The number of entries never exceeds the capacity; the key that was used least recently goes first.
/// - Failures are never cached.
///
/// One cache can serve any number of verifiers and threads.
public final class VerificationKeyCache: Sendable {
    /// What the cache holds, and what it has done since it was created.
    public struct Statistics: Sendable, Hashable {
        /// The number of keys in the cache.
        public var entries = 0
        /// The largest number of keys that the cache holds.
        public var capacity = 0
        /// The receipts that were verified without a chain validation.
        public var hits = 0
        /// The receipts for which the cache held no usable key.
        public var misses = 0
        /// The number of chain validations.
        public var chainValidations = 0
        /// The number of keys that were dropped for others.
        public var evictions = 0
        /// The number of keys that have a precomputed table.
        public var preparedKeys = 0
    }

    /// A chain under a set of roots.
    fileprivate struct Identity: Hashable {
        var chain: SHA256Digest
        var anchorSet: SHA256Digest
    }

    fileprivate struct Entry {
        let cached: CachedKey
        var lastUse: UInt64 = 0
        /// The header segment of the last receipt that verified under another header than the receipt before it.
        /// Receipts of one signer share it byte for byte, so comparing it replaces decoding it.
        var header: [UInt8] = []
        var headerHash: UInt64 = 0
    }

    /// The outcome of a validation that is running; the threads that wait for it wait for its lock.
    private typealias Validation = Locked<Result<ValidatedChain, VerificationFailure>?>

    /// A chain that is being validated under the rules for a purpose.
    private struct Candidate: Hashable {
        var identity: Identity
        var purpose: ChainPurpose
    }

    fileprivate struct State {
        var entries: [Identity: Entry] = [:]
        var identitiesByHeader: [UInt64: Identity] = [:]
        /// A counter of uses, to order the entries by their last one.
        var clock: UInt64 = 0
        var statistics = Statistics()
    }

    /// The largest number of precomputed tables, each of 150 kB.
    package static let preparedKeyCapacity = 64

    private let state = Locked(State())
    private let validations = Locked<[Candidate: Validation]>([:])
    private let capacity: Int
    private let preparedKeys: PreparedKeyBudget
    private let preparationThreshold: Int

    /// Creates an empty cache with room for at least one key.
    public convenience init(capacity: Int = 64) {
        self.init(capacity: capacity, preparationThreshold: CachedKey.preparationThreshold)
    }

    /// Creates an empty cache.
    ///
    /// - Parameter preparationThreshold: The number of valid signatures after which a key gets a precomputed table.
    package init(capacity: Int = 64, preparationThreshold: Int, preparedKeyCapacity: Int = preparedKeyCapacity) {
        self.capacity = max(capacity, 1)
        self.preparationThreshold = preparationThreshold
        preparedKeys = PreparedKeyBudget(capacity: preparedKeyCapacity)
    }

    // MARK: Keys and statistics

    /// Returns the key that was used most recently.
    public func loadVerificationKey() -> Result<VerificationKey, VerificationFailure> {
        guard let key = keys.last else { return .failure(VerificationFailure(code: .keyNotFound)) }
        return .success(key)
    }

    /// Adds a key, such as one from another cache; a key that the cache already holds for the same chain stays.
    public func cacheVerificationKey(_ key: VerificationKey) {
        insert(key, header: nil)
    }

    /// All keys, the one that was used least recently first.
    public var keys: [VerificationKey] {
        state.withLock { $0.entries.values.sorted { $0.lastUse < $1.lastUse }.map(\.cached.key) }
    }

    /// Removes all keys; the statistics go on.
    public func removeAll() {
        state.withLock { state in
            state.entries = [:]
            state.identitiesByHeader = [:]
        }
    }

    /// The current statistics.
    public var statistics: Statistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.entries = state.entries.count
            statistics.capacity = capacity
            statistics.preparedKeys = preparedKeys.count
            return statistics
        }
    }

    // MARK: Lookup

    // A lookup changes nothing: what it is given has not been verified.

    /// Returns the key for a header segment under which a receipt has verified, byte for byte.
    func key(forHeader header: RawSpan, anchorSet: SHA256Digest) -> CachedKey? {
        let hash = HeaderHash.of(header)
        return state.withLock { state in
            guard let identity = state.identitiesByHeader[hash], identity.anchorSet == anchorSet,
                let entry = state.entries[identity], entry.header.withRawSpan({ $0.isEqual(to: header) })
            else { return nil }
            return entry.cached
        }
    }

    /// Returns the key for a chain.
    func key(forChain chain: SHA256Digest, anchorSet: SHA256Digest) -> CachedKey? {
        state.withLock { $0.entries[Identity(chain: chain, anchorSet: anchorSet)]?.cached }
    }

    /// Keeps the header segment of a receipt that has verified under a key of the cache.
    func keepHeader(_ header: [UInt8], of cached: CachedKey) {
        let identity = Identity(chain: cached.key.chain, anchorSet: cached.key.anchorSet)
        let hash = header.withRawSpan { HeaderHash.of($0) }
        state.withLock { $0.setHeader(header, hash, of: identity) }
    }

    /// Keeps a key and the header segment that brought it, and returns the entry for its chain.
    @discardableResult
    func insert(_ key: VerificationKey, header: [UInt8]?) -> CachedKey {
        let identity = Identity(chain: key.chain, anchorSet: key.anchorSet)
        let hash = header.map { $0.withRawSpan { HeaderHash.of($0) } }
        return state.withLock { state in
            // The same chain has the same key, so an entry that exists stays, with its table.
            let entry =
                state.entries[identity]
                ?? Entry(cached: CachedKey(key, budget: preparedKeys, threshold: preparationThreshold))
            state.entries[identity] = entry
            state.use(identity)
            if let header, let hash { state.setHeader(header, hash, of: identity) }
            while state.entries.count > capacity { state.evictOldest() }
            return entry.cached
        }
    }

    /// Validates a chain with `validate`, or waits for another thread that is validating the same chain and returns its
    /// outcome.
    func validation(
        ofChain chain: SHA256Digest,
        anchorSet: SHA256Digest,
        for purpose: ChainPurpose = .jws,
        _ validate: () throws(CryptoFault) -> Result<ValidatedChain, VerificationFailure>
    ) throws(CryptoFault) -> Result<ValidatedChain, VerificationFailure> {
        let candidate = Candidate(identity: Identity(chain: chain, anchorSet: anchorSet), purpose: purpose)
        let validation = validations.withLock { validations in
            if let running = validations[candidate] { return running }
            let new = Validation(nil)
            validations[candidate] = new
            return new
        }
        defer {
            validations.withLock { validations in
                if validations[candidate] === validation { validations[candidate] = nil }
            }
        }
        // Holding this lock is how the others wait. It belongs to one chain, and no thread that has a key takes it.
        return try validation.withLock { (outcome) throws(CryptoFault) in
            if let outcome { return outcome }
            state.withLock { $0.statistics.chainValidations += 1 }
            let new = try validate()
            outcome = new
            return new
        }
    }

    // MARK: Counting

    /// Counts receipts that were verified with a cached key, as one use of it.
    func countHits(_ hits: Int, of cached: CachedKey) {
        let identity = Identity(chain: cached.key.chain, anchorSet: cached.key.anchorSet)
        state.withLock { state in
            state.statistics.hits &+= hits
            state.use(identity)
        }
    }

    /// Counts a receipt for which the cache held no usable key.
    func countMiss() {
        state.withLock { $0.statistics.misses &+= 1 }
    }
}

extension VerificationKeyCache.State {
    fileprivate mutating func use(_ identity: VerificationKeyCache.Identity) {
        clock += 1
        entries[identity]?.lastUse = clock
    }

    fileprivate mutating func setHeader(_ header: [UInt8], _ hash: UInt64, of identity: VerificationKeyCache.Identity) {
        // The key may have been evicted since the lookup.
        guard entries[identity] != nil else { return }
        removeHeader(of: identity)
        entries[identity]?.header = header
        entries[identity]?.headerHash = hash
        identitiesByHeader[hash] = identity
    }

    private mutating func removeHeader(of identity: VerificationKeyCache.Identity) {
        guard let hash = entries[identity]?.headerHash, identitiesByHeader[hash] == identity else { return }
        identitiesByHeader[hash] = nil
    }

    fileprivate mutating func evictOldest() {
        guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key else { return }
        removeHeader(of: oldest)
        entries[oldest] = nil
        statistics.evictions += 1
    }
}
