import Foundation
import PurchaseCore
import PurchaseStorage
import ReceiptTypes
import ReceiptVerification

#if !canImport(Security)
    /// Asks a `SecretServiceKeys` what the lines of standard input say, and prints a line for each answer.
    ///
    /// | line | answer |
    /// | --- | --- |
    /// | `keys`, `make` | the identifier of the current key, and then those of the earlier ones |
    /// | `forget` | the same after all keys but the current one are forgotten |
    /// | `keys within N` | the same, or `keys-timed-out` after N milliseconds |
    /// | `libraries` | `with GLib` or `without GLib`, as the process has it in its memory |
    /// | `database PATH` | `made`, when the folder has the files of an app |
    /// | `held keys` | none until the line `pass`, with which its deadline passes |
    /// | `crowd` | `free`, while more calls wait for the service than there are threads for tasks |
    ///
    /// The answer to a failure is its code.
    struct SecretServiceConversation {
        private let keys: SecretServiceKeys
        private let store: String
        private let library: String
        private let timer = CommandedTimer()

        init(store: String, library: String) {
            self.store = store
            self.library = library
            keys = SecretServiceKeys(
                store: store, deadline: 60_000, environment: PurchaseEnvironment(timer: timer), library: library)
        }

        func run() async {
            var held: Task<String, Never>?
            while let line = readLine() {
                let words = line.split(separator: " ")
                switch words.first {
                case "held":
                    timer.hold()
                    held = Task { [keys] in await Self.answer { try await keys.keys() } }
                case "pass":
                    timer.pass()
                    if let held { Self.print(await held.value) }
                case "crowd": crowd()
                case "libraries":
                    // A file of which the size is not known before it is read.
                    let maps = FileHandle(forReadingAtPath: "/proc/self/maps")?.readDataToEndOfFile() ?? Data()
                    let hasGLib = String(decoding: maps, as: UTF8.self).contains("/libglib-2.0.so")
                    Self.print(hasGLib ? "with GLib" : "without GLib")
                case "database": await makeDatabase(in: String(words.last ?? ""))
                default:
                    timer.set(milliseconds: words.last.flatMap { Int64($0) })
                    Self.print(await answer(String(words.first ?? "")))
                }
            }
        }

        private func answer(_ command: String) async -> String {
            await Self.answer { [keys] in
                switch command {
                case "make": return try await keys.makeKey()
                case "forget":
                    let known = try await keys.keys()
                    try await keys.forget(known.earlier + [known.current])
                    return try await keys.keys()
                default: return try await keys.keys()
                }
            }
        }

        private func makeDatabase(in folder: String) async {
            do {
                let secrets = try SealedStore(folder: "\(folder)/secrets", keys: keys)
                let key = try await secrets.value(of: "database-key", orSet: PurchaseDatabase.randomKey())
                _ = try PurchaseDatabase(path: "\(folder)/purchases.sqlite", key: key)
                Self.print("made")
            } catch {
                Self.print("\(error)")
            }
        }

        private func crowd() {
            for _ in 0...ProcessInfo.processInfo.activeProcessorCount {
                let keys = SecretServiceKeys(store: store, deadline: 3_600_000, library: library)
                Task { try await keys.keys() }
            }
            Task {
                // Behind the calls, which have begun before.
                for _ in 0...ProcessInfo.processInfo.activeProcessorCount { await Task.detached {}.value }
                Self.print("free")
            }
        }

        private static func answer(_ call: () async throws -> SealingKeys) async -> String {
            do {
                let keys = try await call()
                return try ([keys.current] + keys.earlier).map { key in
                    try key.identifier().map { String($0) }.joined(separator: ".")
                }.joined(separator: " ")
            } catch {
                return (error as? SealedStoreError)?.code.rawValue ?? "\(error)"
            }
        }

        private static func print(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
    }

    /// A timer whose waits end when the test says so, or after a time of the test.
    private final class CommandedTimer: PurchaseTimer {
        private struct State {
            var milliseconds: Int64?
            var isHolding = false
            var waiting: [AsyncStream<Void>.Continuation] = []
        }

        private let state = Locked(State())

        /// Makes the next waits take this many milliseconds, or as long as they are asked to.
        func set(milliseconds: Int64?) { state.withLock { ($0.milliseconds, $0.isHolding) = (milliseconds, false) } }

        /// Makes the next waits last until ``pass()``.
        func hold() { state.withLock { $0.isHolding = true } }

        func pass() {
            let waiting = state.withLock { state in
                defer { (state.waiting, state.isHolding) = ([], false) }
                return state.waiting
            }
            for continuation in waiting { continuation.finish() }
        }

        func start(milliseconds: Int64) -> Task<Void, Never> {
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            let time = state.withLock { state -> Int64? in
                if state.isHolding { state.waiting.append(continuation) }
                return state.isHolding ? nil : state.milliseconds ?? milliseconds
            }
            if let time { return SystemTimer().start(milliseconds: time) }
            return Task { for await _ in stream {} }
        }
    }
#endif
