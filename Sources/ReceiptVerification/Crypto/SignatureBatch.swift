internal import CReceiptCrypto

/// ES256 signatures that are verified together, which costs far less than verifying them one by one.
@safe
struct SignatureBatch: ~Copyable {
    /// The number of signatures in a full batch.
    ///
    /// At this size the shared inversion costs next to nothing, and a batch has several signatures of each signer even
    /// if dozens of signers take turns.
    static let capacity = 512

    private let raw: OpaquePointer
    /// The keys of the signatures.
    ///
    /// The C batch borrows them, so they must live until it is cleared.
    private var keys: [PublicKey] = []
    private var tables: [PreparedKey?] = []

    init() throws(CryptoFault) {
        var pointer: OpaquePointer?
        try unsafe rc_es256_batch_new(Self.capacity, &pointer).orThrow()
        guard let pointer = unsafe pointer else { throw .libraryFailure }
        unsafe raw = pointer
    }

    deinit { unsafe rc_es256_batch_free(raw) }

    var count: Int { keys.count }
    var isFull: Bool { count >= Self.capacity }

    mutating func removeAll() {
        unsafe rc_es256_batch_clear(raw)
        keys.removeAll(keepingCapacity: true)
        tables.removeAll(keepingCapacity: true)
    }

    /// Adds a signature, r || s, and returns its number; nil if the batch is full.
    mutating func add(
        _ signature: borrowing ReusableBytes,
        over digest: SHA256Digest,
        by key: PublicKey,
        _ table: PreparedKey?
    ) -> Int? {
        let raw = unsafe raw
        let status = unsafe key.withRaw { key in
            unsafe digest.withBytes { digest in
                unsafe signature.bytes.withPointer { (pointer, count) in
                    guard let table else { return unsafe rc_es256_batch_add(raw, key, nil, digest, pointer, count) }
                    return unsafe table.withRaw { unsafe rc_es256_batch_add(raw, key, $0, digest, pointer, count) }
                }
            }
        }
        guard status == .RC_OK else { return nil }
        keys.append(key)
        tables.append(table)
        return keys.count - 1
    }

    /// Verifies all signatures.
    mutating func verify() {
        unsafe rc_es256_batch_verify(raw)
    }

    /// Returns the verdict on the signature with that number.
    func verdict(_ index: Int) -> Result<PublicKey.SignatureVerdict, CryptoFault> {
        do throws(CryptoFault) {
            return .success(try PublicKey.SignatureVerdict(unsafe rc_es256_batch_verdict(raw, index)))
        } catch {
            return .failure(error)
        }
    }

    /// Returns the verdict of the fast path alone, for tests; nil in a build without the fast path.
    func fastVerdict(_ index: Int) throws(CryptoFault) -> PublicKey.SignatureVerdict? {
        let status = unsafe rc_es256_batch_fast_verdict(raw, index)
        return status == .RC_UNSUPPORTED ? nil : try PublicKey.SignatureVerdict(status)
    }
}
