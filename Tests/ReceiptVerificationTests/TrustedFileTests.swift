import Foundation
import ReceiptTypes
import Testing

@testable import ReceiptVerification

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Another user's ID; no such user has to exist.
private let stranger: uid_t = 4711

/// Checks that a system call has succeeded.
private func succeed(_ result: Int32) throws {
    try #require(result == 0, "error \(errno)")
}

/// Files and folders that an attacker could have prepared.
@Suite("Trusted files [OTP-9.1]")
struct TrustedFileTests {
    /// What an attacker, or a careless user, does to a file.
    enum Trap: String, CaseIterable, Sendable {
        case otherOwner, readableByGroup, writableByOthers, link, fifo, device, folder

        /// The traps that only root can set.
        var needsRoot: Bool { self == .otherOwner || self == .device }

        var code: FileError.Code {
            switch self {
            case .otherOwner: .otherOwner
            case .readableByGroup, .writableByOthers: .tooOpen
            case .link, .fifo, .device, .folder: .notRegular
            }
        }

        func set(_ path: String) throws {
            switch self {
            case .otherOwner: try succeed(unsafe chown(path, stranger, stranger))
            case .readableByGroup: try succeed(unsafe chmod(path, 0o640))
            case .writableByOthers: try succeed(unsafe chmod(path, 0o602))
            case .link:
                try succeed(unsafe rename(path, "\(path).target"))
                try succeed(unsafe symlink("\(path).target", path))
            case .fifo:
                try succeed(unsafe unlink(path))
                try succeed(unsafe mkfifo(path, 0o600))
            case .device:
                try succeed(unsafe unlink(path))
                // The numbers of /dev/zero on Linux.
                try succeed(unsafe mknod(path, S_IFCHR | 0o600, 1 << 8 | 5))
            case .folder:
                try succeed(unsafe unlink(path))
                try succeed(unsafe mkdir(path, 0o700))
            }
        }
    }

    /// What is wrong with the folder of a file, or with a folder above it.
    enum Place: String, CaseIterable, Sendable {
        case writableByGroup, writableByOthers, sticky, ofStranger, parentWritable, parentOfStranger, linkOfStranger

        var needsRoot: Bool { [.ofStranger, .parentOfStranger, .linkOfStranger].contains(self) }

        /// Returns the path of a folder under `folder`, which exists and is called `a/b`.
        func set(in folder: String) throws -> String {
            switch self {
            case .writableByGroup: try succeed(unsafe chmod("\(folder)/a/b", 0o770))
            case .writableByOthers: try succeed(unsafe chmod("\(folder)/a/b", 0o702))
            case .sticky: try succeed(unsafe chmod("\(folder)/a/b", 0o1777))
            case .ofStranger: try succeed(unsafe chown("\(folder)/a/b", stranger, stranger))
            case .parentWritable: try succeed(unsafe chmod("\(folder)/a", 0o777))
            case .parentOfStranger: try succeed(unsafe chown("\(folder)/a", stranger, stranger))
            case .linkOfStranger:
                try succeed(unsafe symlink("\(folder)/a", "\(folder)/link"))
                try succeed(unsafe lchown("\(folder)/link", stranger, stranger))
                return "\(folder)/link/b"
            }
            return "\(folder)/a/b"
        }
    }

    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "trusted-\(UUID())").path()
        try FileManager.default.createDirectory(
            atPath: "\(folder)/a/b", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    /// Saves a cache with one key in a folder, and returns its sealing key.
    private func fill(_ folder: String) throws -> SealingKey {
        let cache = VerificationKeyCache()
        _ = try Fixture.verifier(keyCache: cache).verifyTransaction(try Fixture.jws())
        let key = try SealingKey.loadOrCreate(at: "\(folder)/key")
        try cache.save(to: VerificationKeyFile("\(folder)/cache"), sealingKey: key)
        return key
    }

    @Test(
        "a key cache that is not a private file of the user is ignored with a warning, and stays",
        arguments: Trap.allCases)
    func cacheTraps(trap: Trap) throws {
        guard !trap.needsRoot || geteuid() == 0 else { return }
        try inFolder { folder in
            let key = try fill("\(folder)/a/b")
            let file = VerificationKeyFile("\(folder)/a/b/cache")
            try trap.set(file.path)
            let cache = VerificationKeyCache()
            #expect(cache.load(from: file, sealingKey: key)?.code == .untrusted)
            #expect(cache.keys.isEmpty)
            #expect(try Fixture.verifier(keyCache: cache).verifyTransaction(try Fixture.jws()).verifiedPayload != nil)
            #expect(throws: KeyCacheWarning.self) { try cache.save(to: file, sealingKey: key) }
            #expect(VerificationKeyCache().load(from: file, sealingKey: key)?.code == .untrusted, "it was replaced")
        }
    }

    @Test("a sealing key that is not a private file of the user is an error, and stays", arguments: Trap.allCases)
    func keyTraps(trap: Trap) throws {
        guard !trap.needsRoot || geteuid() == 0 else { return }
        try inFolder { folder in
            _ = try fill("\(folder)/a/b")
            try trap.set("\(folder)/a/b/key")
            for _ in 0..<2 {
                let error = #expect(throws: FileError.self) { try SealingKey.loadOrCreate(at: "\(folder)/a/b/key") }
                #expect(error?.code == trap.code)
            }
        }
    }

    @Test(
        "a sealing key of the user's state folder that is not a private file is replaced with a warning",
        arguments: Trap.allCases)
    func stateFolderTraps(trap: Trap) throws {
        // A folder cannot be replaced by a file.
        guard !trap.needsRoot || geteuid() == 0, trap != .folder else { return }
        try inFolder { folder in
            let first = try SealingKey.loadOrCreate(inStateFolder: "\(folder)/a/b")
            try trap.set("\(folder)/a/b/sealing.key")
            var warnings: [KeyCacheWarning.Code] = []
            let second = try SealingKey.loadOrCreate(inStateFolder: "\(folder)/a/b") { warnings.append($0.code) }
            #expect(warnings == [.sealingKeyReplaced])
            #expect(second.bytes != first.bytes)
            #expect(try SealingKey.loadOrCreate(inStateFolder: "\(folder)/a/b").bytes == second.bytes)
        }
    }

    @Test("files in a folder that other users can change are not used", arguments: Place.allCases)
    func places(place: Place) throws {
        guard !place.needsRoot || geteuid() == 0 else { return }
        try inFolder { folder in
            let key = try fill("\(folder)/a/b")
            let path = try place.set(in: folder)
            let cache = VerificationKeyCache()
            #expect(cache.load(from: VerificationKeyFile("\(path)/cache"), sealingKey: key)?.code == .untrusted)
            #expect(cache.load(from: VerificationKeyFile("\(path)/none"), sealingKey: key)?.code == .untrusted)
            for body in [
                { try SealingKey.loadOrCreate(at: "\(path)/key") },
                { try SealingKey.loadOrCreate(inStateFolder: path) },
            ] {
                let error = #expect(throws: FileError.self) { try body() }
                #expect(error?.code == .sharedFolder)
            }
        }
    }

    @Test("links of the user on the way to a folder are followed, and a round of links is an error")
    func links() throws {
        try inFolder { folder in
            let key = try fill("\(folder)/a/b")
            try succeed(unsafe symlink("a", "\(folder)/one"))
            try succeed(unsafe symlink("\(folder)/one/../one", "\(folder)/two"))
            try succeed(unsafe symlink("round", "\(folder)/round"))
            #expect(try SealingKey.loadOrCreate(at: "\(folder)/two/b/key").bytes == key.bytes)
            #expect(throws: FileError.self) { try SealingKey.loadOrCreate(at: "\(folder)/round/key") }
        }
    }

    @Test("a new private file never appears before it is complete, and an existing one is left unchanged")
    func completeFiles() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "trusted-\(UUID())").path()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let bytes = [UInt8](repeating: 7, count: 100_000)
        for round in 0..<50 {
            let path = "\(folder)/\(round)"
            let reader = Task.detached { () -> [UInt8]? in
                while !Task.isCancelled {
                    if let found = try PrivateFile.read(path, maximumCount: bytes.count) { return found }
                    await Task.yield()
                }
                return nil
            }
            defer { reader.cancel() }
            try PrivateFile.create(path, bytes)
            #expect(try await reader.value == bytes)
            let error = #expect(throws: FileError.self) { try PrivateFile.create(path, [1]) }
            #expect(error?.code == .exists)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 50)
    }

    @Test("an empty, short or blank key file is replaced, and what a short one contained is kept")
    func halfMadeKeys() throws {
        for bytes in [
            [], [UInt8](repeating: 0, count: 32), [UInt8]("a password".utf8), [UInt8](repeating: 7, count: 31),
        ] {
            try inFolder { folder in
                let path = "\(folder)/a/b/key"
                try PrivateFile.create(path, bytes)
                var warnings: [KeyCacheWarning.Code] = []
                let key = try SealingKey.loadOrCreate(at: path) { warnings.append($0.code) }
                #expect(warnings == [.sealingKeyReplaced])
                #expect(try PrivateFile.read(path, maximumCount: 100) == key.bytes)
                let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/a/b")
                let copies = names.filter { $0.hasSuffix(".old") }
                #expect(names.count == copies.count + 1)
                let kept = try copies.map { try PrivateFile.read("\(folder)/a/b/\($0)", maximumCount: 100) }
                #expect(kept == (bytes.allSatisfy { $0 == 0 } ? [] : [bytes]))
            }
        }
    }

    @Test("a longer file is no sealing key, and stays")
    func otherFiles() throws {
        try inFolder { folder in
            for count in [33, 4096, 4097] {
                let bytes = [UInt8](repeating: 7, count: count)
                try PrivateFile.replace("\(folder)/a/b/key", bytes)
                let error = #expect(throws: FileError.self) { try SealingKey.loadOrCreate(at: "\(folder)/a/b/key") }
                #expect(error?.code == .notAKey)
                #expect(try PrivateFile.read("\(folder)/a/b/key", maximumCount: 5000) == bytes)
            }
        }
    }

    @Test("a storage that is not a file serves a cache as the file does")
    func otherStorage() throws {
        struct Memory: VerificationKeyStorage {
            let bytes = Locked<[UInt8]?>(nil)
            func load() throws(KeyCacheWarning) -> [UInt8]? { bytes.withLock { $0 } }
            func save(_ sealed: [UInt8]) throws(KeyCacheWarning) { bytes.withLock { $0 = sealed } }
        }
        let (memory, key) = (Memory(), try SealingKey.random())
        let cache = VerificationKeyCache()
        #expect(cache.load(from: memory, sealingKey: key) == nil)
        _ = try Fixture.verifier(keyCache: cache).verifyTransaction(try Fixture.jws())
        try cache.save(to: memory, sealingKey: key)
        let other = VerificationKeyCache()
        #expect(other.load(from: memory, sealingKey: key) == nil)
        #expect(other.keys.count == 1)
        #expect(VerificationKeyCache().load(from: memory, sealingKey: try .random())?.code == .key)
    }
}
