internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// The store of a command line, opened.
struct OpenStore {
    let folder: StoreFolder
    let store: LocalStore
    private let arguments: Arguments

    /// Opens the store of `--store`; who is to change it keeps other processes out.
    init(_ session: Session, toChange: Bool) throws {
        arguments = session.arguments
        folder = StoreFolder(session.arguments)
        guard folder.isStore else {
            throw UsageError(
                "there is no store in \(Escaped(folder.path))",
                hint: "make one with local-store init FILE.storekit, or name another folder with --store"
            )
        }
        if toChange { try folder.occupy() }
        guard let file = try FileAccess.readIfPresent(folder.configuration),
            SystemCalls.exists(folder.root)
        else {
            throw UsageError(
                "\(Escaped(folder.path)) lacks its .storekit file or its keys",
                hint: "local-store init FILE.storekit --force begins anew"
            )
        }
        guard let state = try StateFile.read(folder.state) else {
            throw UsageError("the store in \(Escaped(folder.path)) has gone")
        }
        let configuration = try ConfigurationFile.configuration(in: file, name: folder.configuration)
        let signer = try LocalStoreSigner(folder: folder.authority)
        let faults = try FaultPlan.of(session.arguments)
        // Who only reads has no way to write, since nobody else is kept out.
        store =
            toChange
            ? try LocalStore(
                configuration: configuration, signer: signer, file: folder.state, initial: state, faults: faults)
            : LocalStore(configuration: configuration, signer: signer, state: state, faults: faults)
    }

    var state: LocalStoreState { store.state }

    /// The customer of `--account`, or the only one.
    func customer() throws(UsageError) -> String {
        if let name = try namedCustomer() { return name }
        let accounts = state.accounts
        guard let only = accounts.first, accounts.count == 1 else {
            throw UsageError(
                "the store has \(accounts.count) customers",
                hint: "name one with --account NAME\(accounts.first.map { ", such as \(Escaped($0.name))" } ?? "")"
            )
        }
        return only.name
    }

    /// The customer of `--account`; nil where none is named.
    func namedCustomer() throws(UsageError) -> String? {
        guard let name = arguments.value(of: .account) else { return nil }
        if let account = state.account(name) { return account.name }
        let near = WordSearch.nearest(to: name, in: state.accounts.prefix(1000).map(\.name))
        throw UsageError(
            "there is no customer \(Escaped(name).quoted)",
            hint: near.map { "did you mean --account \(Escaped($0))" } ?? "see local-store accounts"
        )
    }

    /// Changes the store in one step, and gives what was notified of it.
    func change<Value>(
        _ body: (inout LocalStoreEngine) throws -> Value
    ) throws -> (value: Value, notifications: ArraySlice<StoreNotification>) {
        let count = state.notifications.count
        let value = try store.perform(body)
        return (value, state.notifications.dropFirst(count))
    }
}
