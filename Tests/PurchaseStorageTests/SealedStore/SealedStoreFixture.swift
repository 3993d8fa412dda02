import Foundation
import PurchaseCore
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

@testable import PurchaseStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder with the files of a sealed store and the file of its keys, for one test.
final class SealedStoreFixture: Sendable {
    let base: String
    /// The folder of the store.
    let folder: String
    /// The file of the current key.
    let keyPath: String

    init() throws {
        // In memory if possible: the tests synchronize thousands of files.
        let memory = "/dev/shm"
        let isInMemory = FileManager.default.isWritableFile(atPath: memory)
        let place = isInMemory ? URL(filePath: memory) : FileManager.default.temporaryDirectory
        base = place.appending(path: "sealed-\(UUID())").path()
        folder = "\(base)/secrets"
        keyPath = "\(base)/keys/sealing.key"
        try FileManager.default.createDirectory(
            atPath: base, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: base) }

    /// Opens a store as a new process would.
    func open(
        _ limits: SealedStoreLimits = SealedStoreLimits(), keys: (any SealingKeyProvider)? = nil,
        step: @escaping PrivateFolder.Step = {}
    ) throws -> SealedStore {
        let folder = SealedFolder(path: folder, limits: limits, step: step)
        guard let keys else {
            return try SealedStore(
                folder, keys: SealingKeyFile(keyPath, step: step),
                environment: PurchaseEnvironment(timer: StoppedTimer()))
        }
        return try SealedStore(folder, keys: keys, environment: PurchaseEnvironment(timer: StoppedTimer()))
    }

    // MARK: Copies

    /// The files of the store and of its keys by their paths below the base, without the empty one for the queue.
    typealias Files = [String: [UInt8]]

    func files(in folders: [String] = ["secrets", "keys"]) throws -> Files {
        var files: Files = [:]
        for folder in folders {
            let path = "\(base)/\(folder)"
            guard FileManager.default.fileExists(atPath: path) else { continue }
            for name in try FileManager.default.contentsOfDirectory(atPath: path)
            where name != SealedFolderView.queueName {
                // A file that disappears in between is not part of the copy.
                guard let data = FileManager.default.contents(atPath: "\(path)/\(name)") else { continue }
                files["\(folder)/\(name)"] = [UInt8](data)
            }
        }
        return files
    }

    /// Makes these files the only ones in the folders.
    func restore(_ files: Files, in folders: [String] = ["secrets", "keys"]) throws {
        for folder in folders {
            try? FileManager.default.removeItem(atPath: "\(base)/\(folder)")
            try FileManager.default.createDirectory(
                atPath: "\(base)/\(folder)", withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
        for (path, bytes) in files where folders.contains(where: { path.hasPrefix("\($0)/") }) {
            try write(bytes, to: path)
        }
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        let isWritten = FileManager.default.createFile(
            atPath: "\(base)/\(path)", contents: Data(bytes), attributes: [.posixPermissions: 0o600])
        try #require(isWritten)
    }

    func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: "\(base)/\(path)") }
}

extension SealedStore {
    /// All values by their names.
    func values() async throws(SealedStoreError) -> [String: [UInt8]] {
        var values: [String: [UInt8]] = [:]
        for name in try await names() { values[name] = try await value(of: name) }
        return values
    }

    /// The code of the error that an operation throws; nil if it throws none.
    nonisolated func code(of operation: (SealedStore) async throws -> Void) async -> SealedStoreError.Code? {
        do {
            try await operation(self)
            return nil
        } catch {
            return (error as? SealedStoreError)?.code ?? .init(rawValue: "\(error)")
        }
    }
}

/// What a process can find out about a store: its values, or the code of the reason why it cannot read one.
func outcome(_ store: SealedStore) async -> Result<[String: [UInt8]], SealedStoreError> {
    do throws(SealedStoreError) {
        return .success(try await store.values())
    } catch {
        return .failure(error)
    }
}

extension SealedStoreErrorCode {
    /// The codes that report a changed folder.
    static let ofChanges: Set<Self> = [
        .damaged, .truncated, .swapped, .rolledBack, .missingFile, .newerFormat, .keyUnknown,
    ]
}

extension [UInt8] {
    init(_ text: String) { self = [UInt8](text.utf8) }
}

/// The copies of a folder at each step of an operation: what a process leaves that is killed there.
final class CrashPoints: Sendable {
    private let copies = Locked<[SealedStoreFixture.Files]>([])

    /// A step that copies the folder.
    func step(_ fixture: SealedStoreFixture) -> PrivateFolder.Step {
        { [copies] in
            guard let files = try? fixture.files() else { return }
            copies.withLock { if $0.last != files { $0.append(files) } }
        }
    }

    var all: [SealedStoreFixture.Files] { copies.withLock { $0 } }

    func reset() { copies.withLock { $0 = [] } }
}
