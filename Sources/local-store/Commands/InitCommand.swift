internal import CommandLineInterface
internal import LocalStore
internal import PurchaseCore
internal import ReceiptTypes
internal import ReceiptVerification

/// `init`: creates a store from a `.storekit` file, or from a sample.
struct InitCommand {
    let session: Session

    private var arguments: Arguments { session.arguments }

    func run() throws {
        let path = try arguments.checkedOperands(atMost: 1).first
        let app = try app()
        let (seed, start) = (try arguments.seed() ?? UInt64.random(in: 0...UInt64(Int64.max)), try start())
        let bytes = try configuration(path)
        let reading = try StorekitFile.read(bytes, name: path ?? "the sample")
        let folder = StoreFolder(arguments)
        guard !folder.isStore || arguments.has(.force) else {
            throw UsageError(
                "\(Escaped(folder.path)) already holds a store",
                hint: "choose another folder with \(folder.spelling), or replace the store with --force"
            )
        }
        try prepare(folder, bytes)
        let state = SimulatorState(seed: seed, now: start, app: app, settings: reading.configuration.settings)
        // The state is written last: without it the folder is not a store, and init can be repeated.
        try StateFile.write(state, to: folder.state)
        try report(folder, state, reading, from: path)
    }

    /// Returns the contents of a `.storekit` file, or of the sample without a file.
    private func configuration(_ path: String?) throws -> [UInt8] {
        guard let path else { return [UInt8](StoreConfiguration.sample.utf8) }
        guard let bytes = try FileAccess.readIfPresent(path) else {
            throw UsageError("no such file: \(Escaped(path))", hint: "give the path of a .storekit file")
        }
        return bytes
    }

    /// Creates the folder with the `.storekit` file and the keys.
    ///
    /// Existing keys are kept, because tests may trust their root certificate.
    private func prepare(_ folder: StoreFolder, _ configuration: [UInt8]) throws {
        do throws(SystemCalls.Failure) {
            try SystemCalls.makeFolder(folder.path, permissions: 0o700)
        } catch {
            throw UsageError(
                "cannot create \(Escaped(folder.path)): \(error.reason)",
                hint: "choose another folder with \(folder.spelling)")
        }
        try folder.lock(session)
        do throws(FileError) {
            // Only its owner may read the file: it may hold the private key that signs promotional offers.
            try PrivateFile.replace(folder.configuration, configuration)
        } catch {
            throw UsageError("\(Escaped(error.message))", hint: "choose another folder with \(folder.spelling)")
        }
        _ = try SimulatorSigner(folder: folder.authority)
    }

    private func report(
        _ folder: StoreFolder,
        _ state: SimulatorState,
        _ reading: StoreConfigurationReading,
        from path: String?
    ) throws {
        let products = reading.configuration.products.count
        if session.writesJSON {
            let object: JSONObject = [
                "type": .string("store"), "store": .string(folder.path), "products": .integer(Int64(products)),
                "findings": .integer(Int64(reading.findings.count)), "seed": .string("\(state.seed)"),
                "now": .string("\(state.now)"), "bundleId": .string(state.app.bundleID), "root": .string(folder.root),
            ]
            try session.writeLine(object, as: .store)
        } else {
            try session.output.writeLine(
                "created a store in \(Escaped(folder.path)) with \(products) "
                    + "\(products == 1 ? "product" : "products") of \(Escaped(state.app.bundleID)); "
                    + "the time is \(state.now)"
            )
        }
        try session.output.flush()
        session.messages.note(
            "hint: verify its receipts with --root \(Escaped(folder.root)); trust this root only in tests")
        guard let path else {
            return session.messages.note("hint: its products are a sample; give a .storekit file to use your own")
        }
        let count = reading.findings.count
        guard count > 0 else { return }
        session.messages.warn(
            "\(Escaped(path)) has \(count == 1 ? "a problem" : "\(count) problems")",
            hint: "run local-store lint \(Escaped(path))"
        )
    }

    // MARK: Flags

    private func app() throws(UsageError) -> SimulatedApp {
        let number: Int64?
        if let text = arguments.value(of: .appAppleID) {
            guard let parsed = Int64(text), parsed > 0 else {
                throw UsageError(
                    "invalid value \(Escaped(text).quoted) for \(arguments.spelling(of: .appAppleID))",
                    hint: "give a whole number, 1 or greater"
                )
            }
            number = parsed
        } else {
            number = nil
        }
        let words = Flag.environment.definition.acceptedWords ?? []
        let environment = arguments.value(of: .environment).flatMap { WordSearch.match($0, in: words) } ?? "Sandbox"
        return SimulatedApp(
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
                "invalid value \(Escaped(text).quoted) for --start", hint: "give a time such as 2025-01-01T00:00:00Z"
            )
        }
        return start
    }
}
