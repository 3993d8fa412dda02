public import ReceiptTypes

/// The keys of signers whose chains have been validated, so that a chain is validated once and then works offline.
///
/// - An entry serves only the very same chain, under the very same set of roots, for signing times at which all its
///   certificates are valid.
/// - An entry is made only after a receipt's signature has verified under it, so a stranger cannot fill the cache.
/// - There are never more entries than `capacity`; the one that was not used for the longest time goes first.
/// - Refusals are never kept.
///
/// One cache can serve any number of verifiers and threads.
public final class VerificationKeyCache: Sendable {
    /// What the cache has done since it was made.
    public struct Statistics: Sendable, Hashable {
        /// Keys that are held.
        public var entries = 0
        /// Keys that can be held.
        public var capacity = 0
        /// Verifications that needed no chain validation.
        public var hits = 0
        /// Verifications that found no key to use.
        public var misses = 0
        /// Chains that were validated.
        public var chainValidations = 0
        /// Keys that had to go for others.
        public var evictions = 0
        /// Keys that have signed so much that a table of multiples was made for them.
        public var preparedKeys = 0
    }

    fileprivate struct Slot: Hashable {
        var chain: SHA256Digest
        var anchorSet: SHA256Digest
    }

    fileprivate struct Entry {
        var cached: CachedKey
        var lastUse: UInt64
        /// The header segment that brought this chain last: receipts of one signer share it byte for byte, so comparing
        /// it replaces decoding it.
        var header: [UInt8]
        var headerHash: UInt64
    }

    fileprivate struct State {
        var entries: [Slot: Entry] = [:]
        var slotsByHeader: [UInt64: Slot] = [:]
        var validations: [Slot: ChainValidation] = [:]
        var clock: UInt64 = 0
        var statistics = Statistics()
    }

    /// Tables of multiples that may exist at a time, of 150 kB each.
    package static let preparedKeyCapacity = 64

    private let state: Locked<State>
    private let capacity: Int
    private let preparedKeys: PreparedKeyBudget
    private let preparationThreshold: Int

    /// Makes an empty cache for at least one key.
    public convenience init(capacity: Int = 64) {
        self.init(capacity: capacity, preparationThreshold: KeyPreparation.threshold)
    }

    /// Makes an empty cache.
    ///
    /// - Parameter preparationThreshold: How many good signatures make a key worth a table of its own.
    package init(capacity: Int = 64, preparationThreshold: Int, preparedKeyCapacity: Int = preparedKeyCapacity) {
        self.capacity = max(capacity, 1)
        self.preparationThreshold = preparationThreshold
        preparedKeys = PreparedKeyBudget(capacity: preparedKeyCapacity)
        state = Locked(State())
    }

    // MARK: Keys by name

    /// The key that was used last.
    public func loadVerificationKey() -> Result<VerificationKey, VerificationFailure> {
        guard let key = keys.last else { return .failure(VerificationFailure(code: .keyNotFound)) }
        return .success(key)
    }

    /// Adds a key, such as one that another cache has exported.
    public func cacheVerificationKey(_ key: VerificationKey) {
        insert(key, header: nil)
    }

    /// All keys, the one that was not used for the longest time first.
    public var keys: [VerificationKey] {
        state.withLock { $0.entries.values.sorted { $0.lastUse < $1.lastUse }.map(\.cached.key) }
    }

    /// Forgets all keys; the statistics go on.
    public func removeAll() {
        state.withLock { state in
            state.entries = [:]
            state.slotsByHeader = [:]
        }
    }

    /// What the cache has done so far.
    public var statistics: Statistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.entries = state.entries.count
            statistics.capacity = capacity
            statistics.preparedKeys = preparedKeys.count
            return statistics
        }
    }

    // MARK: What a verifier asks

    /// The key for a header segment that has been seen, byte for byte.
    func key(forHeader header: RawSpan, anchorSet: SHA256Digest) -> CachedKey? {
        let hash = HeaderSample.hash(of: header)
        return state.withLock { state in
            guard let slot = state.slotsByHeader[hash], slot.anchorSet == anchorSet, let entry = state.entries[slot],
                entry.header.withRawSpan({ $0.isEqual(to: header) })
            else { return nil }
            return Self.use(slot, &state)
        }
    }

    /// The key for a chain.
    func key(forChain chain: SHA256Digest, anchorSet: SHA256Digest) -> CachedKey? {
        state.withLock { state in
            let slot = Slot(chain: chain, anchorSet: anchorSet)
            guard state.entries[slot] != nil else { return nil }
            return Self.use(slot, &state)
        }
    }

    /// Counts verifications that found their key here, and with them its use.
    func countHits(_ hits: Int, of cached: CachedKey) {
        let slot = Slot(cached.key)
        state.withLock { state in
            state.statistics.hits &+= hits
            _ = Self.use(slot, &state)
        }
    }

    /// Counts a verification that found no key to use.
    func countMiss() {
        state.withLock { $0.statistics.misses &+= 1 }
    }

    /// Runs a validation of a chain, or waits for one of the same chain that another thread is running and takes over
    /// its outcome.
    func validate(
        chain: SHA256Digest,
        anchorSet: SHA256Digest,
        _ body: () throws(CryptoFault) -> ChainValidation.Outcome
    ) throws(CryptoFault) -> ChainValidation.Outcome {
        let slot = Slot(chain: chain, anchorSet: anchorSet)
        let validation = state.withLock { state in
            if let running = state.validations[slot] { return running }
            let new = ChainValidation()
            state.validations[slot] = new
            return new
        }
        defer {
            state.withLock { state in
                if state.validations[slot] === validation { state.validations[slot] = nil }
            }
        }
        return try validation.outcome { () throws(CryptoFault) in
            state.withLock { $0.statistics.chainValidations += 1 }
            return try body()
        }
    }

    /// Keeps a key, and the header segment that brought it.
    @discardableResult
    func insert(_ key: VerificationKey, header: [UInt8]?) -> CachedKey {
        let slot = Slot(key)
        let hash = header.map { $0.withRawSpan { HeaderSample.hash(of: $0) } }
        return state.withLock { state in
            let old = state.entries[slot]
            if let old, header != nil { state.forgetHeader(of: old) }
            state.clock += 1
            // The same chain has the same key, so its table goes on serving.
            let cached = CachedKey(
                key, old?.cached.preparation ?? KeyPreparation(budget: preparedKeys, threshold: preparationThreshold))
            let kept = header == nil ? old : nil
            state.entries[slot] = Entry(
                cached: cached, lastUse: state.clock, header: header ?? kept?.header ?? [],
                headerHash: hash ?? kept?.headerHash ?? 0
            )
            if let hash { state.slotsByHeader[hash] = slot }
            while state.entries.count > capacity,
                let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.forgetHeader(of: oldest.value)
                state.entries[oldest.key] = nil
                state.statistics.evictions += 1
            }
            return cached
        }
    }

    /// Lets a header segment lead to a key that is held; a key that has gone meanwhile stays gone.
    func remember(header: [UInt8], for cached: CachedKey) {
        let slot = Slot(cached.key)
        let hash = header.withRawSpan { HeaderSample.hash(of: $0) }
        state.withLock { state in
            guard let old = state.entries[slot] else { return }
            state.forgetHeader(of: old)
            state.entries[slot]?.header = header
            state.entries[slot]?.headerHash = hash
            state.slotsByHeader[hash] = slot
        }
    }

    private static func use(_ slot: Slot, _ state: inout State) -> CachedKey? {
        state.clock += 1
        state.entries[slot]?.lastUse = state.clock
        return state.entries[slot]?.cached
    }
}

extension VerificationKeyCache.Slot {
    fileprivate init(_ key: VerificationKey) {
        self.init(chain: key.chain, anchorSet: key.anchorSet)
    }
}

extension VerificationKeyCache.State {
    /// Drops the way from a header to an entry that goes or gets another header.
    fileprivate mutating func forgetHeader(of entry: VerificationKeyCache.Entry) {
        guard let slot = slotsByHeader[entry.headerHash], slot.chain == entry.cached.key.chain else { return }
        slotsByHeader[entry.headerHash] = nil
    }
}
