/// The signers of a thread's latest receipts, by the header segments that their receipts share byte for byte.
///
/// A header segment found here costs one comparison: no lock is taken and no certificate is decoded.
struct Signers: ~Copyable {
    private static let capacity = 128

    private var byHash: [UInt64: Signer] = [:]
    private var last: Signer?

    /// Returns the signer of a header segment; nil if this thread does not know it.
    mutating func signer(of header: RawSpan) -> Signer? {
        if let last, last.header.withRawSpan({ $0.isEqual(to: header) }) { return last }
        guard !byHash.isEmpty, let found = byHash[HeaderHash.of(header)],
            found.header.withRawSpan({ $0.isEqual(to: header) })
        else { return nil }
        last = found
        return found
    }

    mutating func insert(_ signer: Signer) {
        let hash = signer.header.withRawSpan { HeaderHash.of($0) }
        byHash[hash] = signer
        last = signer
    }

    /// Reports all counts to the cache, and drops the signers under which no receipt has verified.
    ///
    /// If there are too many signers, all are dropped.
    mutating func report(to keyCache: VerificationKeyCache) {
        var allAreProven = true
        for signer in byHash.values {
            signer.report(to: keyCache)
            if !signer.isProven { allAreProven = false }
        }
        if byHash.count > Self.capacity {
            last = nil
            byHash = [:]
        } else if !allAreProven {
            last = nil
            byHash = byHash.filter { $0.value.isProven }
        }
    }

    mutating func removeAll() {
        byHash.removeAll(keepingCapacity: true)
        last = nil
    }
}
