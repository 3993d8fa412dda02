import Foundation
import LocalStore
import PurchaseAssembly
import PurchaseCore
import PurchaseStorage
import ReceiptTypes
import Testing
import TimerSupport

/// A launch without the sealed store or its key, and what follows.
@Suite("Lost keys", .timeLimit(.minutes(15)))
@MainActor
struct StartOverTests {
    private let app: TestApp

    init() throws {
        app = try TestApp()
    }

    /// A way to lose the key of the database.
    enum Loss: CaseIterable {
        case keyRemoved, keyReplaced, keyOverwritten, keyEmptied, keyCut, storeRemoved, storeEmptied, manifestChanged
        case manifestRemoved, manifestAndKeyRemoved, valuesRemoved
    }

    private func bring(_ loss: Loss) async throws {
        let files = FileManager.default
        let folder = app.folder
        let manifest = "\(folder.secretsPath)/manifest"
        switch loss {
        case .keyRemoved: try files.removeItem(atPath: "\(folder.path)/keys")
        case .keyReplaced: try overwrite(folder.keyPath, Data(repeating: 9, count: 32))
        case .keyOverwritten:
            try overwrite(folder.keyPath, Data("a letter in the place of the key, which is longer".utf8))
        case .keyEmptied: try overwrite(folder.keyPath, Data())
        case .keyCut: try overwrite(folder.keyPath, Data(repeating: 9, count: 31))
        case .storeRemoved: try files.removeItem(atPath: folder.secretsPath)
        case .storeEmptied:
            for name in try files.contentsOfDirectory(atPath: folder.secretsPath) {
                try files.removeItem(atPath: "\(folder.secretsPath)/\(name)")
            }
        case .manifestChanged:
            var bytes = try Data(contentsOf: URL(fileURLWithPath: manifest))
            bytes[bytes.count - 1] ^= 1
            try overwrite(manifest, bytes)
        case .manifestRemoved: try files.removeItem(atPath: manifest)
        case .manifestAndKeyRemoved:
            try files.removeItem(atPath: manifest)
            try files.removeItem(atPath: folder.keyPath)
        case .valuesRemoved:
            try await SealedStore(
                folder: folder.secretsPath, keys: SealingKeyFile(folder.keyPath),
                environment: PurchaseEnvironment(timer: StoppedTimer())
            ).removeAll()
        }
    }

    /// Writes into a file, which keeps its mode.
    private func overwrite(_ path: String, _ bytes: Data) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: bytes)
    }

    /// The files of the app's folder with their contents.
    private func tree() throws -> [String: Data] {
        var tree: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: app.folder.path) {
            tree[name] = (try? Data(contentsOf: URL(fileURLWithPath: "\(app.folder.path)/\(name)"))) ?? Data()
        }
        return tree
    }

    private func buyAndEnd() async throws {
        let stack = try await app.launch()
        #expect(await stack.flow.purchaseProduct("notes.export").outcome == .success)
        await stack.stop()
    }

    /// Waits until the last task of a stopped stack has ended: the database closes then, which changes its files.
    private func databaseIsClosed() async {
        while FileManager.default.fileExists(atPath: app.folder.databasePath + "-wal"), !Task.isCancelled {
            await Task.yield()
        }
    }

    private func owned(_ stack: PurchaseStack) async throws -> [String] {
        try await stack.records.getAllPurchases().map(\.productID)
    }

    @Test(
        "A launch without the keys changes no file, and starting over brings back what the store has [OTP-3.6]",
        arguments: Loss.allCases)
    func startOver(_ loss: Loss) async throws {
        try await buyAndEnd()
        await databaseIsClosed()
        try await bring(loss)
        let before = try tree()
        await #expect(throws: (any Error).self) { try await app.launch() }
        #expect(try tree() == before)

        app.simulator.isOnline = false
        let stack = try await PurchaseStack(app.setup(), startingOverIn: app.folder)
        await stack.start()
        #expect(try await stack.files.database.unfinishedRecovery() != nil, "the store has not answered")
        app.simulator.isOnline = true
        await stack.refresh()
        #expect(stack.gating.canAccessSync("export"))
        #expect(try await owned(stack) == ["notes.export"])
        #expect(try await stack.files.database.unfinishedRecovery() == nil)
        await stack.stop()

        let after = try tree()
        for (name, content) in before where !name.hasSuffix("-lock") && !content.isEmpty {
            #expect(after.contains { $0.key.contains(".damaged-") && $0.value == content }, "\(name) is kept")
        }
        let next = try await app.launch()
        #expect(try await owned(next) == ["notes.export"])
    }

    @Test("A deletion of a user leaves nothing that was set aside, and other files beside the key stay [OTP-9.5]")
    func erasure() async throws {
        try await buyAndEnd()
        let other = "\(app.folder.path)/keys/other.key"
        try Data("of the app".utf8).write(to: URL(fileURLWithPath: other))
        try await bring(.manifestChanged)
        let old = try tree()
        let stack = try await PurchaseStack(app.setup(), startingOverIn: app.folder)
        await stack.start()
        #expect(try tree().keys.contains { $0.contains("sealing.key.damaged-") })
        try await stack.erase(UUIDText("0e984725-c51c-4bf4-9960-e1c80e27aba0"))
        #expect(try tree().keys.allSatisfy { !$0.contains(".damaged-") })
        #expect(try tree()["keys/other.key"] == Data("of the app".utf8))
        let secrets = old.filter { $0.key.hasPrefix("secrets/") || $0.key == "keys/sealing.key" }.values
        #expect(try tree().values.allSatisfy { !secrets.contains($0) || $0.isEmpty })
        await stack.stop()
    }

    @Test("The latest three sealed stores and keys that were set aside are kept")
    func bound() async throws {
        for _ in 0..<4 {
            await (try await app.launch()).stop()
            try await bring(.manifestChanged)
            await (try await PurchaseStack(app.setup(), startingOverIn: app.folder)).stop()
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: app.folder.path)
        #expect(names.count { $0.hasPrefix("secrets.damaged-") } == 3)
        let keys = try FileManager.default.contentsOfDirectory(atPath: "\(app.folder.path)/keys")
        #expect(keys.count { $0.hasPrefix("sealing.key.damaged-") } == 3)
    }

    @Test("An app that clears the sealed store of the stack loses its own values, and not the key of the database")
    func clearedStore() async throws {
        let first = try await app.launch()
        #expect(await first.flow.purchaseProduct("notes.export").outcome == .success)
        let secrets = first.files.secrets
        let key = PurchaseFolder.databaseKeyName
        try await secrets.set([1], for: "token")
        try await secrets.removeAll()
        #expect(try await secrets.value(of: "token") == nil)
        let reserved = SealedStoreError(.reservedName, "")
        await #expect(throws: reserved) { try await secrets.remove(key) }
        await #expect(throws: reserved) { try await secrets.set([1], for: key) }
        await first.stop()
        let second = try await app.launch()
        #expect(try await owned(second) == ["notes.export"])
        #expect(try await second.files.database.unfinishedRecovery() == nil)
        await second.stop()
        // With a manifest that cannot be read, nothing could keep the key.
        try await bring(.manifestChanged)
        let before = try tree()
        await #expect(throws: SealedStoreError(.damaged, "")) { try await secrets.removeAll() }
        #expect(try tree() == before)
    }

    @Test("Starting over opens sound files as they are")
    func soundFiles() async throws {
        try await buyAndEnd()
        let stack = try await PurchaseStack(app.setup(), startingOverIn: app.folder)
        #expect(try await owned(stack) == ["notes.export"])
        #expect(try await stack.files.database.unfinishedRecovery() == nil)
        #expect(try tree().keys.allSatisfy { !$0.contains(".damaged-") })
    }

    @Test("Starting over sets nothing aside for an error that is not a loss")
    func otherErrors() async throws {
        try await buyAndEnd()
        let before = try tree()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: "\(app.folder.path)/keys")
        await #expect(throws: SealedStoreError(.untrusted, "")) {
            try await PurchaseStack(app.setup(), startingOverIn: app.folder)
        }
        #expect(try tree() == before)
    }

    @Test("Of processes that start over at the same time, one sets the files aside")
    func concurrent() async throws {
        try await buyAndEnd()
        try await bring(.manifestChanged)
        let folder = app.folder
        let opened = try await withThrowingTaskGroup { group in
            for _ in 0..<4 { group.addTask { try await PurchaseFiles.startOver(in: folder) } }
            var count = 0
            for try await _ in group { count += 1 }
            return count
        }
        #expect(opened == 4)
        let aside = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains(".damaged-") }
        #expect(aside.count { $0.hasPrefix("secrets") } == 1)
        let stack = try await app.launch()
        #expect(try await owned(stack) == ["notes.export"])
    }
}
