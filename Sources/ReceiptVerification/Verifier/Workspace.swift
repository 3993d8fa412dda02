/// What one thread needs while it verifies, kept from receipt to receipt.
struct Workspace: ~Copyable {
    var digest: SHA256State
    /// The decoded payloads of the receipts whose signatures are waiting to be judged.
    var payloads = ByteArena()
    var signature = ReusableBytes()
    var signatures: SignatureBatch
    var signers = Signers()

    init() throws(CryptoFault) {
        let digest = try SHA256State()
        let signatures = try SignatureBatch()
        self.digest = digest
        self.signatures = signatures
    }

    /// Reports to the cache what was taken from it and drops the payloads; the signers stay.
    mutating func endRound(with keyCache: VerificationKeyCache) {
        signers.settle(with: keyCache)
        payloads.truncate(to: 0)
    }

    /// Keeps nothing but the room: the next verification may be for somebody else.
    mutating func endVerification(with keyCache: VerificationKeyCache) {
        endRound(with: keyCache)
        signers.removeAll()
    }
}

/// Workspaces that rest between verifications of one receipt each.
final class WorkspacePool: Sendable {
    /// A workspace is made for one thread after the other.
    // Safe to hand on: whoever has taken it out of the pool is the only one to know it.
    private final class Box: @unchecked Sendable {
        var workspace: Workspace

        init() throws(CryptoFault) {
            workspace = try Workspace()
        }
    }

    /// More threads than this at one moment make workspaces of their own.
    private static let capacity = 16
    private let resting = Locked<[Box]>([])

    func withWorkspace<Result>(_ body: (inout Workspace) -> Result) throws(CryptoFault) -> Result {
        let rested = resting.withLock { $0.popLast() }
        let box = if let rested { rested } else { try Box() }
        let result = body(&box.workspace)
        resting.withLock { resting in
            if resting.count < Self.capacity { resting.append(box) }
        }
        return result
    }
}
