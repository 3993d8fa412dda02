internal import ReceiptTypes

/// The memory that one thread uses while it verifies, kept from receipt to receipt.
struct Workspace: ~Copyable {
    var digest: SHA256State
    /// The decoded payloads of the receipts of the current round, parsed after their signatures have verified.
    var payloads = ByteArena()
    /// The decoded signature of one receipt.
    var signature = ReusableBytes()
    var signatures: SignatureBatch
    var signers = Signers()

    init() throws(CryptoFault) {
        let digest = try SHA256State()
        let signatures = try SignatureBatch()
        self.digest = digest
        self.signatures = signatures
    }
}

/// The workspaces that no thread is using.
final class WorkspacePool: Sendable {
    /// A reference to a workspace, since an array holds copyable values only.
    // Safe to share: a box is reachable only from the pool's array, and the thread that takes it out of there is the
    // only one that reads it.
    private final class Box: @unchecked Sendable {
        private var workspace: Workspace?

        init(_ workspace: consuming Workspace) {
            self.workspace = consume workspace
        }

        func take() -> Workspace? { workspace.take() }
    }

    /// Workspaces beyond this number are freed instead of kept.
    private static let capacity = 16
    private let idle = Locked<[Box]>([])

    /// Returns an idle workspace, or a new one if there is none.
    func take() throws(CryptoFault) -> Workspace {
        if let workspace = idle.withLock({ $0.popLast() })?.take() { return workspace }
        return try Workspace()
    }

    /// Keeps a workspace for a later verification.
    func put(_ workspace: consuming Workspace) {
        let box = Box(workspace)
        idle.withLock { idle in
            if idle.count < Self.capacity { idle.append(box) }
        }
    }
}
