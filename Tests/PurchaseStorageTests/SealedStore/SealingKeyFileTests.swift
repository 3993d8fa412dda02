import Foundation
import PurchaseCore
import ReceiptVerification
import Testing

@testable import PurchaseStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Key file of a sealed store [OTP-9.1]")
struct SealingKeyFileTests {
    @Test("the key file and its folder are created for their owner only, and every process gets the same key")
    func creation() async throws {
        let fixture = try SealedStoreFixture()
        try await checkFirstKey(of: SealingKeyFile(fixture.keyPath))
        for (path, expected) in [(fixture.keyPath, 0o600), ("\(fixture.base)/keys", 0o700)] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == expected)
        }
    }

    @Test("a new key is current, and the key before it stays until it is forgotten")
    func rotation() async throws {
        let fixture = try SealedStoreFixture()
        try await checkRotation(of: SealingKeyFile(fixture.keyPath))
        #expect(try fixture.files().keys.sorted() == ["keys/sealing.key"])
    }

    @Test("a process that is killed while it makes a key leaves the old key, and no copy of it is left at the end")
    func crashes() async throws {
        let fixture = try SealedStoreFixture()
        let old = try await SealingKeyFile(fixture.keyPath).keys().current
        let points = CrashPoints()
        _ = try await SealingKeyFile(fixture.keyPath, step: points.step(fixture)).makeKey()
        #expect(points.all.count >= 6)
        for files in points.all {
            try fixture.restore(files)
            let file = SealingKeyFile(fixture.keyPath)
            let keys = try await file.keys()
            #expect(keys.current == old || keys.earlier == [old])
            let made = try await file.makeKey()
            #expect(made.earlier.contains(old))
            try await file.forget(made.earlier)
            #expect(try await file.keys() == SealingKeys(current: made.current))
            for (path, bytes) in try fixture.files() { #expect(bytes != old.bytes, "\(path)") }
        }
    }

    @Test("keys that processes make at the same time are all kept")
    func parallelKeys() async throws {
        let fixture = try SealedStoreFixture()
        try await checkParallelKeys(of: SealingKeyFile(fixture.keyPath))
    }

    @Test("a key file that other users can read, that is a link, or that is too long is an error and stays")
    func untrustedFiles() async throws {
        let fixture = try SealedStoreFixture()
        let store = try fixture.open()
        try await store.set([1], for: "one")
        let key = try #require(FileManager.default.contents(atPath: fixture.keyPath))
        func code() async throws -> SealedStoreError.Code? {
            await (try fixture.open()).code { _ = try await $0.value(of: "one") }
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: fixture.keyPath)
        #expect(try await code() == .untrusted)
        try FileManager.default.removeItem(atPath: fixture.keyPath)
        try fixture.write([UInt8](key), to: "moved.key")
        try FileManager.default.createSymbolicLink(
            atPath: fixture.keyPath, withDestinationPath: "\(fixture.base)/moved.key")
        #expect(try await code() == .untrusted)
        try FileManager.default.removeItem(atPath: fixture.keyPath)
        try fixture.write([UInt8](repeating: 1, count: 33), to: "keys/sealing.key")
        #expect(try await code() == .notAKey)
        #expect(FileManager.default.contents(atPath: fixture.keyPath)?.count == 33)
        // The values are there again as soon as the key is.
        try fixture.write([UInt8](key), to: "keys/sealing.key")
        #expect(try await code() == nil)
    }

    @Test("a store whose key file was deleted reports an unknown key, changes nothing, and can be emptied")
    func lostKey() async throws {
        let fixture = try SealedStoreFixture()
        try await fixture.open().set([1], for: "one")
        try fixture.remove("keys/sealing.key")
        let before = try fixture.files(in: ["secrets"])
        let store = try fixture.open()
        #expect(await store.code { _ = try await $0.value(of: "one") } == .keyUnknown)
        #expect(await store.code { try await $0.set([2], for: "one") } == .keyUnknown)
        #expect(await store.code { try await $0.rotateKey() } == .keyUnknown)
        #expect(try fixture.files(in: ["secrets"]) == before)
        try await store.removeAll()
        try await store.set([3], for: "one")
        #expect(try await fixture.open().values() == ["one": [3]])
    }
}
