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

/// Another user's ID; no such user has to exist.
private let stranger: uid_t = 4711

@Suite("Sealed store in trouble [OTP-9.1]")
struct SealedStoreTroubleTests {
    // MARK: Keys

    /// A provider that answers as a test says.
    private struct Provider: SealingKeyProvider {
        let answer: @Sendable () async throws(SealedStoreError) -> SealingKeys
        func keys() async throws(SealedStoreError) -> SealingKeys { try await answer() }
    }

    /// A timer whose time is always over.
    private struct ElapsedTimer: PurchaseTimer {
        func start(milliseconds: Int64) -> Task<Void, Never> { Task {} }
    }

    @Test("a key provider that never answers is an error at the deadline, and the store can be used afterwards")
    func hangingProvider() async throws {
        let fixture = try SealedStoreFixture()
        let isHanging = Locked(true)
        let key = try SealingKey.random()
        let provider = Provider { () async throws(SealedStoreError) in
            if isHanging.withLock({ $0 }) {
                // It ends with the task's cancellation only.
                let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
                for await _ in stream {}
                continuation.finish()
            }
            return SealingKeys(current: key)
        }
        let impatient = try SealedStore(
            folder: fixture.folder, keys: provider, environment: PurchaseEnvironment(timer: ElapsedTimer()))
        #expect(await impatient.code { try await $0.set([1], for: "one") } == .keysTimedOut)
        #expect(try fixture.files(in: ["secrets"]).isEmpty)
        isHanging.withLock { $0 = false }
        let store = try SealedStore(
            folder: fixture.folder, keys: provider, environment: PurchaseEnvironment(timer: StoppedTimer()))
        try await store.set([1], for: "one")
        #expect(try await store.value(of: "one") == [1])
    }

    @Test("an error of the key provider reaches the caller, and the next call asks again")
    func failingProvider() async throws {
        let fixture = try SealedStoreFixture()
        let isLocked = Locked(true)
        let key = try SealingKey.random()
        let provider = Provider { () async throws(SealedStoreError) in
            if isLocked.withLock({ $0 }) { throw SealedStoreError(.keysLocked, "the collection is locked") }
            return SealingKeys(current: key)
        }
        let store = try SealedStore(
            folder: fixture.folder, keys: provider, environment: PurchaseEnvironment(timer: StoppedTimer()))
        #expect(await store.code { try await $0.set([1], for: "one") } == .keysLocked)
        isLocked.withLock { $0 = false }
        try await store.set([1], for: "one")
        #expect(await store.code { try await $0.rotateKey() } == .rotationUnsupported)
        #expect(try await store.values() == ["one": [1]])
    }

    @Test("an app that gives its keys changes them by sealing again")
    func givenKeys() async throws {
        let fixture = try SealedStoreFixture()
        let (old, new) = (try SealingKey.random(), try SealingKey.random())
        try await fixture.open(keys: GivenSealingKeys(current: old)).set([1], for: "one")
        let store = try fixture.open(keys: GivenSealingKeys(current: new, earlier: [old, new, old]))
        try await store.set([2], for: "two")
        // Until then, all values have the old key.
        #expect(try await fixture.open(keys: GivenSealingKeys(current: old)).values().count == 2)
        try await store.reseal()
        let sealed = try fixture.files(in: ["secrets"])
        try await store.reseal()
        #expect(try fixture.files(in: ["secrets"]) == sealed)
        #expect(try await fixture.open(keys: GivenSealingKeys(current: new)).values() == ["one": [1], "two": [2]])
        #expect(
            await (try fixture.open(keys: GivenSealingKeys(current: old))).code { _ = try await $0.names() }
                == .keyUnknown)
    }

    // MARK: Folders

    @Test("a folder that other users can change is an error, for a new store and for one that is open")
    func sharedFolder() async throws {
        let fixture = try SealedStoreFixture()
        let store = try fixture.open()
        try await store.set([1], for: "one")
        let before = try fixture.files()
        try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: fixture.folder)
        #expect(throws: SealedStoreError(.untrusted, "")) { try fixture.open() }
        #expect(await store.code { _ = try await $0.value(of: "one") } == .untrusted)
        #expect(await store.code { try await $0.set([2], for: "one") } == .untrusted)
        #expect(try fixture.files() == before)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: fixture.folder)
        #expect(try await store.value(of: "one") == [1])
    }

    @Test("the folder of another user is an error", .enabled(if: geteuid() == 0))
    func otherOwner() async throws {
        let fixture = try SealedStoreFixture()
        let store = try fixture.open()
        try await store.set([1], for: "one")
        try #require(unsafe chown(fixture.folder, stranger, stranger) == 0)
        #expect(throws: SealedStoreError(.untrusted, "")) { try fixture.open() }
        #expect(await store.code { _ = try await $0.value(of: "one") } == .untrusted)
        try #require(unsafe chown(fixture.folder, 0, 0) == 0)
        try #require(unsafe chown("\(fixture.folder)/manifest", stranger, stranger) == 0)
        #expect(await store.code { try await $0.set([2], for: "one") } == .untrusted)
        try #require(unsafe chown("\(fixture.folder)/manifest", 0, 0) == 0)
        #expect(try await store.value(of: "one") == [1])
    }

    @Test("a link, a folder or a file that is not private in the place of any file is an error, and nothing is lost")
    func traps() async throws {
        let fixture = try SealedStoreFixture()
        let store = try fixture.open()
        try await store.set([1], for: "one")
        for name in ["manifest", "counter", "value-1"] {
            let path = "\(fixture.folder)/\(name)"
            let moved = "\(fixture.base)/moved"
            try FileManager.default.moveItem(atPath: path, toPath: moved)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: moved)
            #expect(await store.code { _ = try await $0.value(of: "one") } == .untrusted)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            #expect(await store.code { _ = try await $0.value(of: "one") } == .untrusted)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: moved, toPath: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            #expect(await store.code { _ = try await $0.value(of: "one") } == .untrusted)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            #expect(try await store.value(of: "one") == [1])
        }
        // A link in the place of a file that does not exist yet is replaced, and its target stays.
        try fixture.write([9], to: "target")
        try FileManager.default.createSymbolicLink(
            atPath: "\(fixture.folder)/value-2", withDestinationPath: "\(fixture.base)/target")
        try await store.set([2], for: "two")
        #expect(try await store.values() == ["one": [1], "two": [2]])
        #expect(FileManager.default.contents(atPath: "\(fixture.base)/target") == Data([9]))
    }

    @Test("a file in the place of the folder is an error")
    func noFolder() throws {
        let fixture = try SealedStoreFixture()
        try fixture.write([1], to: "secrets")
        let error = #expect(throws: SealedStoreError.self) { try fixture.open() }
        #expect(error?.code == .unreadable)
    }

    #if os(Linux)
        // MARK: File systems

        /// Whether this process may mount file systems.
        private static let canMount: Bool = {
            let path = FileManager.default.temporaryDirectory.appending(path: "mount-\(UUID())").path()
            try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            defer { unsafe rmdir(path) }
            guard unsafe mount("none", path, "tmpfs", 0, "size=4k") == 0 else { return false }
            return unsafe umount(path) == 0
        }()

        @Test("on a full disk, a change is an error that changes nothing or happens completely", .enabled(if: canMount))
        func fullDisk() async throws {
            let fixture = try SealedStoreFixture()
            try FileManager.default.createDirectory(atPath: fixture.folder, withIntermediateDirectories: false)
            try #require(unsafe mount("none", fixture.folder, "tmpfs", 0, "size=256k,mode=700") == 0)
            defer {
                unsafe umount2(fixture.folder, Int32(MNT_DETACH))
                withExtendedLifetime(fixture) {}
            }
            let store = try fixture.open()
            var values = ["one": [UInt8](repeating: 1, count: 9000), "two": [2]]
            for (name, value) in values { try await store.set(value, for: name) }
            var codes: Set<SealedStoreError.Code?> = []
            // Fewer and fewer free pages: the value, the manifest or the counter is the first file without a place.
            for free in (0..<8).reversed() {
                let filler = unsafe open("\(fixture.folder)/filler", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
                let page = [UInt8](repeating: 0, count: 4096)
                var pages = 0
                while unsafe write(filler, page, page.count) == page.count { pages += 1 }
                try #require(ftruncate(filler, off_t(max(0, pages - free) * 4096)) == 0)
                close(filler)
                let new = [UInt8](repeating: UInt8(free), count: 9000)
                let code = await store.code { try await $0.set(new, for: "one") }
                codes.insert(code)
                if code == nil { values["one"] = new }
                #expect(try await store.values() == values, "\(free) free pages")
                let removal = await store.code { try await $0.remove("two") }
                codes.insert(removal)
                if removal == nil { values["two"] = nil }
                #expect(try await fixture.open().values() == values, "\(free) free pages")
                try fixture.remove("secrets/filler")
                // There is space again.
                values["two"] = [UInt8(free)]
                try await store.set([UInt8(free)], for: "two")
                #expect(try await store.values() == values)
                #expect(try fixture.files(in: ["secrets"]).count == 4)
            }
            #expect(codes == [nil, .unwritable])
            let filler = unsafe open("\(fixture.folder)/filler", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            while unsafe write(filler, [0, 0, 0, 0], 4) == 4 {}
            close(filler)
            #expect(await store.code { try await $0.rotateKey() } == .unwritable)
            #expect(try await fixture.open().values() == values)
            // Removing everything needs no space.
            try await store.removeAll()
            try fixture.remove("secrets/filler")
            #expect(try await fixture.open().names().isEmpty)
            try await store.set([1], for: "one")
        }

        @Test("a read-only folder is read, and a change is an error", .enabled(if: canMount))
        func readOnly() async throws {
            let fixture = try SealedStoreFixture()
            let store = try fixture.open()
            try await store.set([1], for: "one")
            #expect(unsafe mount(fixture.folder, fixture.folder, nil, UInt(MS_BIND), nil) == 0)
            defer {
                unsafe umount2(fixture.folder, Int32(MNT_DETACH))
                withExtendedLifetime(fixture) {}
            }
            let flags = UInt(MS_BIND | MS_REMOUNT | MS_RDONLY)
            #expect(unsafe mount(nil, fixture.folder, nil, flags, nil) == 0)
            let reader = try fixture.open()
            #expect(try await reader.values() == ["one": [1]])
            for change in [
                { try await $0.set([2], for: "one") }, { try await $0.remove("one") }, { try await $0.removeAll() },
                { try await $0.rotateKey() },
            ] as [@Sendable (SealedStore) async throws -> Void] {
                #expect(await reader.code(of: change) == .unwritable)
            }
            #expect(try await reader.values() == ["one": [1]])
            unsafe umount2(fixture.folder, Int32(MNT_DETACH))
            try await reader.set([2], for: "one")
            #expect(try await store.values() == ["one": [2]])
        }
    #endif
}
