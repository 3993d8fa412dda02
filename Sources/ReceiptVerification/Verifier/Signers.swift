/// The signers that one thread has met lately, by the header segments that their receipts share byte for byte.
///
/// They serve one batch: what is met here costs no lock, and no look at the header but one comparison.
struct Signers: ~Copyable {
    private static let capacity = 128

    private var byHash: [UInt64: Signer] = [:]
    private var last: Signer?

    mutating func signer(of header: RawSpan) -> Signer? {
        if let last, last.header.withRawSpan({ $0.isEqual(to: header) }) { return last }
        guard !byHash.isEmpty, let found = byHash[HeaderSample.hash(of: header)],
            found.header.withRawSpan({ $0.isEqual(to: header) })
        else { return nil }
        last = found
        return found
    }

    mutating func remember(_ signer: Signer) {
        let hash = signer.header.withRawSpan { HeaderSample.hash(of: $0) }
        byHash[hash] = signer
        last = signer
    }

    /// Reports to the cache what was taken from it, and forgets whoever has not signed anything good.
    mutating func settle(with keyCache: VerificationKeyCache) {
        var isTrusted = true
        for signer in byHash.values {
            guard case .cache(let cached) = signer.source else {
                isTrusted = false
                continue
            }
            if signer.unreportedHits > 0 { keyCache.countHits(signer.unreportedHits, of: cached) }
            signer.unreportedHits = 0
        }
        if !isTrusted || byHash.count > Self.capacity {
            last = nil
            byHash = byHash.count > Self.capacity ? [:] : byHash.filter { $0.value.source.isCached }
        }
    }

    mutating func removeAll() {
        byHash.removeAll(keepingCapacity: true)
        last = nil
    }
}
