/// A signer as one thread knows it: what all its receipts share.
final class Signer {
    /// The header segment, which brings the chain.
    let header: [UInt8]
    /// Where the key came from; a chain becomes a cached key with the first good receipt.
    var source: KeySource
    /// The key's table, once there is one.
    var table: PreparedKey?
    /// How many receipts were verified with a cached key and have not been reported to the cache yet.
    var unreportedHits = 0
    /// The hash of the header segment and its dot, made when a second receipt needs it.
    private var prefix: SHA256State?
    private var isKnown = false

    init(header: RawSpan, _ source: KeySource) {
        self.header = header.array
        self.source = source
        if case .cache(let cached) = source { table = cached.preparation.table }
    }

    /// The digest of the signing input (RFC 7515 5.1).
    func digest(of jws: borrowing CompactJWS, _ state: inout SHA256State) throws(CryptoFault) -> SHA256Digest {
        guard isKnown else {
            isKnown = true
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

    /// Counts a good signature, so that a key which signs a lot gets its table.
    func countSignature() {
        guard table == nil, case .cache(let cached) = source else { return }
        table = cached.countSignature()
    }
}
