import Foundation
import PurchaseAssembly
import PurchaseCore
import PurchaseStorage
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

/// A place of keys whose answers can be held back.
private final class HeldKeys: SealingKeyProvider {
    private struct State {
        var isHolding = false
        var asked: [CheckedContinuation<Void, Never>] = []
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let base: SealingKeyFile
    private let state = Locked(State())

    init(_ path: String) {
        base = SealingKeyFile(path)
    }

    /// Holds the next answer back.
    func hold() { state.withLock { $0.isHolding = true } }

    /// Returns when an answer is held back.
    func waitUntilAsked() async {
        await withCheckedContinuation { continuation in
            let isAsked = state.withLock { state in
                if state.held.isEmpty { state.asked.append(continuation) }
                return !state.held.isEmpty
            }
            if isAsked { continuation.resume() }
        }
    }

    /// Lets the answers go.
    func release() {
        let held = state.withLock { state in
            defer { (state.held, state.isHolding) = ([], false) }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    func keys() async throws(SealedStoreError) -> SealingKeys {
        let keys = try await base.keys()
        await withCheckedContinuation { continuation in
            let asked = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
                guard state.isHolding else { return nil }
                defer { state.asked = [] }
                state.held.append(continuation)
                return state.asked
            }
            for waiting in asked ?? [] { waiting.resume() }
            if asked == nil { continuation.resume() }
        }
        return keys
    }

    func makeKey() async throws(SealedStoreError) -> SealingKeys { try await base.makeKey() }

    func forget(_ keys: [SealingKey]) async throws(SealedStoreError) { try await base.forget(keys) }
}

/// Files whose key is in a place that answers late.
@Suite("A place of the keys that answers late", .timeLimit(.minutes(15)))
@MainActor
struct KeyProviderTests {
    private let app: TestApp
    private let keys: HeldKeys

    init() throws {
        app = try TestApp()
        keys = HeldKeys("\(app.path)/keys/sealing.key")
        try FileManager.default.createDirectory(atPath: app.path, withIntermediateDirectories: true)
    }

    /// Returns whether another process can replace the files now.
    private func canReplaceFiles() throws -> Bool {
        let handle = try #require(FileHandle(forUpdatingAtPath: app.folder.databasePath + "-lock"))
        defer { try? handle.close() }
        return FileLock.exclusive.take(handle.fileDescriptor)
    }

    @Test("While it has not answered a launch, no other process waits for the files [OTP-3.6]")
    func opening() async throws {
        keys.hold()
        let opening = Task { [app, keys] in try await app.openFiles(keys: keys) }
        await keys.waitUntilAsked()
        #expect(try canReplaceFiles())
        keys.release()
        let key = try await opening.value.secrets.value(of: PurchaseFolder.databaseKeyName)
        #expect(key?.count == 32)
        let next = try await app.openFiles(keys: keys)
        #expect(try await next.secrets.value(of: PurchaseFolder.databaseKeyName) == key)
    }

    @Test("While it has not answered a start with new files, no other process waits for them [OTP-3.6]")
    func startingOver() async throws {
        _ = try await app.openFiles(keys: keys)
        try FileManager.default.removeItem(atPath: app.folder.secretsPath)
        keys.hold()
        let starting = Task { [folder = app.folder, keys] in
            try await PurchaseFiles.startOver(
                in: folder, keys: keys, environment: PurchaseEnvironment(timer: StoppedTimer()))
        }
        await keys.waitUntilAsked()
        #expect(try canReplaceFiles())
        keys.release()
        #expect(try await starting.value.secrets.value(of: PurchaseFolder.databaseKeyName)?.count == 32)
    }

    @Test("An answer that another process has made old is asked for again [OTP-9.3]")
    func oldAnswer() async throws {
        let files = try await app.openFiles(keys: keys)
        keys.hold()
        let opening = Task { [app, keys] in try await app.openFiles(keys: keys) }
        await keys.waitUntilAsked()
        let other = HeldKeys("\(app.path)/keys/sealing.key")
        try await app.openFiles(keys: other).secrets.rotateKey()
        keys.release()
        let key = try await opening.value.secrets.value(of: PurchaseFolder.databaseKeyName)
        #expect(try await files.secrets.value(of: PurchaseFolder.databaseKeyName) == key)
    }
}
