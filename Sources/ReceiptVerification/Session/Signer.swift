/// The signer of all App Store receipts with the same certificates, as one thread keeps it.
final class Signer {
    /// The key, before and after it enters the key cache.
    enum Key {
        /// The key of a chain that has just been validated; no receipt has verified under it yet.
        case validated(ValidatedChain)
        /// A key that is or was in the cache.
        case cached(CachedKey)
    }

    /// The bytes that carry the certificates: the header segment of a JWS, or the certificates of an app receipt.
    let header: [UInt8]
    private(set) var key: Key
    /// The roots that the chain ends at, the preferred one first; at least one.
    let roots: [SigningRoot]
    /// The precomputed table of the key; nil until the key has one.
    private(set) var table: PreparedKey?
    /// The receipts that have verified under the cached key since the last report to the cache.
    private var unreportedReceipts = 0
    /// The hash of the header segment and its dot, computed when the second receipt needs it.
    private var prefix: SHA256State?
    private var hasComputedDigest = false
    /// Whether a receipt with this header segment has verified, here or on another thread.
    ///
    /// Until then, the header segment is text from a stranger, even if it contains the certificates of a cached key.
    private(set) var isProven: Bool

    init(header: RawSpan, _ key: Key, _ roots: [SigningRoot], isProven: Bool = false) {
        self.header = header.array
        self.key = key
        self.roots = roots
        self.isProven = isProven
        if case .cached(let cached) = key { table = cached.table }
    }

    /// What the key verifies.
    var purpose: ChainPurpose { publicKey.kind == .rsa ? .appReceipts : .jws }

    var publicKey: PublicKey {
        switch key {
        case .cached(let cached): cached.key.key
        case .validated(let chain): chain.publicKey
        }
    }

    /// Returns the digest of the signing input (RFC 7515 5.1).
    func digest(of jws: borrowing CompactJWS, _ state: inout SHA256State) throws(CryptoFault) -> SHA256Digest {
        guard hasComputedDigest else {
            hasComputedDigest = true
            try state.reset()
            try state.update(jws.signingInput)
            return try state.finish()
        }
        if prefix == nil {
            var made = try SHA256State()
            let length = header.count + 1
            try made.update(jws.signingInput.extracting(0..<length))
            prefix = consume made
        }
        try prefix?.copy(into: &state)
        try state.update(jws.payload)
        return try state.finish()
    }

    /// Uses the key of the cache, which holds the header segment too, from now on.
    func adopt(_ cached: CachedKey) {
        isProven = true
        key = .cached(cached)
        table = cached.table
    }

    /// Counts a receipt that has verified under the cached key, and puts the header segment into the cache with the
    /// first one.
    ///
    /// The key counts at once, so that it gets its table as soon as possible; with a table, no lock is taken.
    func countReceipt(in keyCache: VerificationKeyCache) {
        unreportedReceipts += 1
        if !isProven, case .cached(let cached) = key {
            isProven = true
            keyCache.keepHeader(header, of: cached)
        }
        if table == nil, case .cached(let cached) = key { table = cached.countSignature() }
    }

    /// Reports the receipts counted so far to the cache, which orders its keys by use.
    func report(to keyCache: VerificationKeyCache) {
        guard unreportedReceipts > 0, case .cached(let cached) = key else { return }
        keyCache.countHits(unreportedReceipts, of: cached)
        unreportedReceipts = 0
    }
}
