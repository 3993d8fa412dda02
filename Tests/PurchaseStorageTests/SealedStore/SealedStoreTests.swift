import Foundation
import ReceiptVerification
import Testing

@testable import PurchaseStorage

@Suite("Sealed store")
struct SealedStoreTests {
    @Test("[OTP-9.1] a value is the same after the store is opened again, and a missing or removed one is nil")
    func valuesLast() async throws {
        let fixture = try SealedStoreFixture()
        let store = try fixture.open()
        #expect(try await store.value(of: "token") == nil)
        #expect(try await store.names().isEmpty)
        try await store.remove("token")
        try await store.set([1, 2, 3], for: "token")
        try await store.set([], for: "empty")
        try await store.set([4], for: "token")
        #expect(try await store.value(of: "token") == [4])
        let reopened = try fixture.open()
        #expect(try await reopened.values() == ["token": [4], "empty": []])
        try await reopened.remove("token")
        try await reopened.remove("token")
        #expect(try await store.value(of: "token") == nil)
        #expect(try await store.names() == ["empty"])
        try await reopened.removeAll()
        #expect(try await store.names().isEmpty)
    }

    @Test("[OTP-9.1] the folder has mode 700, its files and the key have mode 600, and no name or value is readable")
    func nothingIsReadable() async throws {
        let fixture = try SealedStoreFixture()
        let store = try fixture.open()
        let (name, value) = ("user-4711-token", "the secret of the customer")
        try await store.set(.init(value), for: name)
        try await store.set(.init(value), for: "other")
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(fixture.folder) == 0o700)
        let files = try fixture.files()
        #expect(files.count == 5)
        for (path, bytes) in files {
            #expect(try mode("\(fixture.base)/\(path)") == 0o600)
            for text in [name, value, "other"] {
                #expect(!path.contains(text))
                #expect(Data(bytes).range(of: Data(text.utf8)) == nil, "\(path) has \(text)")
            }
        }
        // The key is in its own folder only.
        let key = try #require(files["keys/sealing.key"])
        for (path, bytes) in files where path.hasPrefix("secrets") {
            #expect(Data(bytes).range(of: Data(key)) == nil)
        }
    }

    @Test("[OTP-9.1] no two writes have the same nonce, also of the same value")
    func noncesAreFresh() async throws {
        let fixture = try SealedStoreFixture()
        let store = try fixture.open()
        var nonces: Set<[UInt8]> = []
        var count = 0
        for _ in 0..<20 {
            try await store.set([7], for: "value")
            for (_, bytes) in try fixture.files(in: ["secrets"]) {
                nonces.insert([UInt8](bytes[34..<46]))
                count += 1
            }
        }
        #expect(count == 60)
        #expect(nonces.count == count)
    }

    @Test("names that differ in one byte are different, and no name leaves the folder")
    func anyName() async throws {
        let fixture = try SealedStoreFixture()
        let store = try fixture.open()
        let names = [
            "", ".", "..", "../secrets/manifest", "manifest", "counter", "value-1", "a/b", "a\0b", "a", "A",
            "caf\u{E9}", "cafe\u{301}", "\u{202E}", String(repeating: "n", count: SealedStore.maximumNameSize),
        ]
        for (index, name) in names.enumerated() { try await store.set([UInt8(index)], for: name) }
        for (index, name) in names.enumerated() { #expect(try await store.value(of: name) == [UInt8(index)]) }
        let listed = try await fixture.open().names()
        #expect(
            listed.map { Array($0.utf8) } == names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: fixture.base)) == ["secrets", "keys"])
        #expect(try fixture.files(in: ["secrets"]).count == names.count + 2)
    }

    @Test("a name, a value or a number of values above the limit is an error, and the values stay")
    func limits() async throws {
        let fixture = try SealedStoreFixture()
        let store = try fixture.open(SealedStoreLimits(valueCount: 3, valueSize: 10, nameSize: 5))
        for name in ["one", "two", "three"] { try await store.set([UInt8](repeating: 1, count: 10), for: name) }
        let before = try fixture.files()
        #expect(await store.code { try await $0.set([], for: "four") } == .full)
        #expect(await store.code { try await $0.set([UInt8](repeating: 1, count: 11), for: "one") } == .valueTooLarge)
        #expect(await store.code { try await $0.set([], for: "sixsix") } == .nameTooLong)
        #expect(await store.code { _ = try await $0.value(of: "sixsix") } == .nameTooLong)
        #expect(await store.code { try await $0.remove("sixsix") } == .nameTooLong)
        #expect(try fixture.files() == before)
        try await store.set([2], for: "three")
        try await store.remove("one")
        try await store.set([3], for: "four")
        #expect(try await store.values().count == 3)
        let megabyte = String(repeating: "n", count: 1_048_576)
        #expect(await (try fixture.open()).code { try await $0.set([], for: megabyte) } == .nameTooLong)
    }

    @Test("a value of the largest size is stored, and one byte more is not")
    func largestValue() async throws {
        let fixture = try SealedStoreFixture()
        let store = try fixture.open()
        let largest = [UInt8](repeating: 5, count: SealedStore.maximumValueSize)
        try await store.set(largest, for: "large")
        #expect(try await store.value(of: "large") == largest)
        #expect(await store.code { try await $0.set(largest + [1], for: "large") } == .valueTooLarge)
        #expect(try fixture.files(in: ["secrets"]).count == 3)
    }

    @Test("a store that has counted to the largest number reports it and keeps its values")
    func largestVersion() async throws {
        let fixture = try SealedStoreFixture()
        try await fixture.open().set([1], for: "one")
        let key = try await SealingKeyFile(fixture.keyPath).keys().current
        var manifest = SealedManifest()
        (manifest.version, manifest.previous) = (.max, .max - 1)
        try fixture.write(
            try SealedFile.seal(manifest.bytes, .manifest, version: .max, with: key), to: "secrets/manifest")
        try fixture.write(try SealedFile.seal([], .counter, version: .max, with: key), to: "secrets/counter")
        let store = try fixture.open()
        #expect(try await store.names().isEmpty)
        #expect(await store.code { try await $0.set([2], for: "two") } == .full)
        #expect(await store.code { try await $0.removeAll() } == nil)
        try await store.set([3], for: "three")
        #expect(try await store.values() == ["three": [3]])
    }

    @Test("files of others in the folder stay")
    func otherFiles() async throws {
        let fixture = try SealedStoreFixture()
        let store = try fixture.open()
        try await store.set([1], for: "one")
        let others = [
            "secrets/readme.txt", "secrets/value-", "secrets/value-01", "secrets/value-1.bak", "secrets/.x.tmp",
        ]
        for path in others { try fixture.write([9], to: path) }
        try await store.set([2], for: "one")
        try await store.removeAll()
        #expect(Set(others).isSubset(of: Set(try fixture.files().keys)))
    }

    @Test("of several stores that set a missing value at the same time, one sets it and all get that value")
    func valueOrSet() async throws {
        let fixture = try SealedStoreFixture()
        let results = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for number in 0..<16 {
                let store = try fixture.open()
                group.addTask { try await store.value(of: "key", orSet: [UInt8(number)]) }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(results.count == 1)
        #expect(try await fixture.open().value(of: "key") == results.first)
    }
}
