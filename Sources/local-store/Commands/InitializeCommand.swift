internal import CommandLineInterface
internal import LocalStore
internal import PurchaseCore
internal import ReceiptTypes
internal import ReceiptVerification

/// `init`: a store's folder.
struct InitializeCommand {
    let session: Session

    private var arguments: Arguments { session.arguments }

    func run() throws {
        let path = try Operands.one(session, named: "a .storekit file", hint: "local-store init FILE.storekit")
        let app = try app()
        let (seed, start) = (try arguments.seed() ?? UInt64.random(in: 0...UInt64(Int64.max)), try start())
        guard let bytes = try FileAccess.readIfPresent(path) else {
            throw UsageError("no such file: \(Escaped(path))", hint: "a .storekit file says what the store sells")
        }
        let reading = try ConfigurationFile.read(bytes, name: path)
        let folder = StoreFolder(arguments)
        guard !folder.isStore || arguments.has(.force) else {
            throw UsageError(
                "there is a store in \(Escaped(folder.path)) already",
                hint: "name another folder with --store, or begin anew with --force"
            )
        }
        try prepare(folder, bytes)
        let state = LocalStoreState(seed: seed, now: start, app: app, settings: reading.configuration.settings)
        // The state comes last: without it the folder is no store, and init begins anew.
        try StateFile.write(state, to: folder.state)
        try report(folder, state, reading, from: path)
    }

    /// Makes the folder with its file and its keys; keys that are there stay, because somebody may trust their root.
    private func prepare(_ folder: StoreFolder, _ configuration: [UInt8]) throws {
        do throws(SystemCalls.Failure) {
            try SystemCalls.makeFolder(folder.path, permissions: 0o700)
        } catch {
            throw UsageError("cannot make \(Escaped(folder.path)): \(error.reason)", hint: "it is named by --store")
        }
        try folder.occupy()
        do throws(FileError) {
            // Readable by its owner alone, because it may hold the key of promotional offers.
            try PrivateFile.replace(folder.configuration, configuration)
        } catch {
            throw UsageError("\(Escaped(error.message))", hint: "it is named by --store")
        }
        _ = try LocalStoreSigner(folder: folder.authority)
    }

    private func report(
        _ folder: StoreFolder,
        _ state: LocalStoreState,
        _ reading: StoreConfigurationReading,
        from path: String
    ) throws {
        let products = reading.configuration.products.count
        if session.writesJSON {
            let object: JSONObject = [
                "type": .string("store"), "store": .string(folder.path), "products": .integer(Int64(products)),
                "findings": .integer(Int64(reading.findings.count)), "seed": .string("\(state.seed)"),
                "now": .string("\(state.now)"), "bundleId": .string(state.app.bundleID), "root": .string(folder.root),
            ]
            try session.output.writeLine(object.description)
        } else {
            try session.output.writeLine(
                "a store in \(Escaped(folder.path)) sells \(products) \(products == 1 ? "product" : "products") of \(Escaped(state.app.bundleID)) from "
                    + "\(state.now) on"
            )
        }
        try session.output.flush()
        session.talk.note("hint: trust it with --root \(Escaped(folder.root)), in tests and nowhere else")
        guard !reading.findings.isEmpty else { return }
        session.talk.warn(
            "\(Escaped(path)) is not as it should be",
            hint: "see local-store lint \(Escaped(path))"
        )
    }

    // MARK: What the flags ask for

    private func app() throws(UsageError) -> LocalStoreApp {
        let number: Int64?
        if let text = arguments.value(of: .appAppleID) {
            guard let parsed = Int64(text), parsed > 0 else {
                throw UsageError(
                    "--app-apple-id: \(Escaped(text).quoted) is no App Store id", hint: "it is a whole number"
                )
            }
            number = parsed
        } else {
            number = nil
        }
        let words = Flag.environment.definition.acceptedWords ?? []
        let environment = arguments.value(of: .environment).flatMap { Spelling.match($0, in: words) } ?? "Sandbox"
        return LocalStoreApp(
            bundleID: arguments.value(of: .bundleID) ?? "com.example.app", appAppleID: number,
            version: arguments.value(of: .appVersion) ?? "1", environment: StoreEnvironment(rawValue: environment)
        )
    }

    private func start() throws(UsageError) -> Timestamp {
        guard let text = arguments.value(of: .start) else {
            let yearAgo = SystemClock.now().adding(.year, times: -1).millisecondsSince1970
            return Timestamp(clamping: yearAgo - yearAgo % 1000)
        }
        guard let start = Timestamp(rfc3339: text) else {
            throw UsageError(
                "--start does not take \(Escaped(text).quoted)", hint: "it takes a time such as 2025-01-01T00:00:00Z"
            )
        }
        return start
    }
}

extension ToolArguments<LocalStoreTool> {
    /// The number of `--seed`; nil where it is not given.
    func seed() throws(UsageError) -> UInt64? {
        guard let text = value(of: .seed) else { return nil }
        guard let seed = UInt64(text) else {
            throw UsageError("--seed does not take \(Escaped(text).quoted)", hint: "it takes a whole number from 0 on")
        }
        return seed
    }
}
