internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// The store that `--store` names, opened for one command.
struct OpenedStore {
    let folder: StoreFolder
    let store: StoreSimulator
    private let arguments: Arguments

    /// What a command opens the store for.
    enum Purpose {
        /// To read it, without a lock.
        case reading
        /// To change it, locked against other processes.
        case writing
        /// To change it with one command, locked; the state can lack what the command does not need.
        case changing(StateNeed)
    }

    /// Opens the store to read or to change it.
    init(_ session: Session, forWriting: Bool) throws {
        try self.init(session, for: forWriting ? .writing : .reading)
    }

    /// Opens the store to change transactions that operands name; nil means the only purchase.
    init(_ session: Session, forTransactions operands: [String]?) throws {
        let account = session.arguments.value(of: .account)
        // Only the complete state shows which purchase is the only one.
        try self.init(session, for: operands.map { .changing(.transactions($0, of: account)) } ?? .writing)
    }

    /// Opens the store to change a subscription that an operand names; nil means the only subscription.
    init(_ session: Session, forSubscription operand: String?) throws {
        let account = session.arguments.value(of: .account)
        try self.init(session, for: .changing(.subscription(operand, of: account)))
    }

    /// Opens the store for a purpose.
    init(_ session: Session, for purpose: Purpose) throws {
        arguments = session.arguments
        folder = StoreFolder(session.arguments)
        guard folder.isStore else {
            throw UsageError(
                "no store in \(Escaped(folder.path))",
                hint: "create one with local-store init, or choose another folder with \(folder.spelling)"
            )
        }
        let isReading = if case .reading = purpose { true } else { false }
        if !isReading { try folder.lock(session) }
        guard let file = try FileAccess.readIfPresent(folder.configuration),
            SystemCalls.exists(folder.root)
        else {
            throw UsageError(
                "the .storekit file or the keys are missing from \(Escaped(folder.path))",
                hint: "create a new store there with local-store init FILE.storekit --force"
            )
        }
        let configuration = try StorekitFile.configuration(in: file, name: folder.configuration)
        let signer = try SimulatorSigner(folder: folder.authority)
        let faults = try FaultPlan(session.arguments)
        let store: StoreSimulator? =
            switch purpose {
            case .reading:
                // Without a lock, the store gets no state file to write to.
                try StateFile.read(folder.state).map {
                    StoreSimulator(configuration: configuration, signer: signer, state: $0, faults: faults)
                }
            case .writing:
                try StoreSimulator(
                    configuration: configuration, signer: signer, existing: folder.state, faults: faults)
            case .changing(let need):
                try StoreSimulator(
                    configuration: configuration, signer: signer, existing: folder.state, for: need, faults: faults)
            }
        guard let store else {
            throw UsageError("the store in \(Escaped(folder.path)) was removed while it was opened")
        }
        self.store = store
    }

    var state: SimulatorState { store.state }

    /// Returns the customer that `--account` names, or the only customer of the store.
    func customer() throws(UsageError) -> String {
        if let name = try namedCustomer() { return name }
        let accounts = state.accounts
        guard let only = accounts.first, accounts.count == 1 else {
            throw UsageError(
                "the store has \(accounts.count) customers",
                hint: accounts.first.map { "choose one with --account, such as --account \(Escaped($0.name))" }
                    ?? "add one with local-store accounts add NAME"
            )
        }
        return only.name
    }

    /// Returns the customer that `--account` names; nil if the flag is absent.
    func namedCustomer() throws(UsageError) -> String? {
        guard let name = arguments.value(of: .account) else { return nil }
        if let account = state.account(name) { return account.name }
        let nearest = WordSearch.nearest(to: name, in: state.accounts.prefix(1000).map(\.name))
        throw UsageError(
            "unknown customer \(Escaped(name).quoted)",
            hint: nearest.map { "did you mean --account \(Escaped($0))" }
                ?? "list the customers with local-store accounts"
        )
    }

    /// Changes the store in one step and returns the notifications that the store sent for it.
    func perform<Value>(
        _ body: (inout SimulatorEngine) throws -> Value
    ) throws -> (value: Value, notifications: ArraySlice<StoreNotification>) {
        let count = state.notifications.count
        let value = try store.perform(body)
        return (value, state.notifications.dropFirst(count))
    }
}
