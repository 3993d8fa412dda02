import Foundation
import PurchaseCore
import ReceiptVerification
import Testing

@testable import PurchaseStorage

@Suite("Sealed store after changes by others [OTP-7.6]")
struct SealedStoreTamperingTests {
    /// The values of the store that the tests change.
    private static let values: [String: [UInt8]] = [
        "first": [1, 2, 3], "second": .init("a longer value"), "third": [],
    ]

    private func filled() async throws -> (SealedStoreFixture, SealedStoreFixture.Files) {
        let fixture = try SealedStoreFixture()
        let store = try fixture.open()
        for (name, value) in Self.values.sorted(by: { $0.key < $1.key }) { try await store.set(value, for: name) }
        return (fixture, try fixture.files(in: ["secrets"]))
    }

    /// Checks that a changed file is reported and that nothing but the stored values is returned.
    private func expectReported(
        _ fixture: SealedStoreFixture, _ path: String, _ comment: String, codes: Set<SealedStoreError.Code>? = nil
    ) async throws {
        let store = try fixture.open()
        var found: Set<SealedStoreError.Code> = []
        for (name, value) in Self.values {
            do throws(SealedStoreError) {
                let read = try await store.value(of: name)
                #expect(read == value, "\(comment)")
            } catch {
                found.insert(error.code)
                #expect(error.message.contains("secrets/"), "\(error)")
            }
        }
        #expect(!found.isEmpty && found.isSubset(of: codes ?? SealedStoreError.Code.ofChanges), "\(comment): \(found)")
        // What every value needs makes every call fail; one value does not.
        if !path.contains("value-") {
            let before = try fixture.files()
            #expect(await store.code { try await $0.set([0], for: "fourth") } != nil, "\(comment)")
            #expect(try fixture.files() == before, "\(comment)")
        }
    }

    @Test("[OTP-9.1] a flipped bit in any byte of any file is reported")
    func everyByte() async throws {
        let (fixture, files) = try await filled()
        #expect(files.count == 5)
        for (path, bytes) in files {
            for index in bytes.indices {
                for mask: UInt8 in [0x01, 0x80] {
                    var changed = bytes
                    changed[index] ^= mask
                    try fixture.write(changed, to: path)
                    try await expectReported(fixture, path, "byte \(index) of \(path)")
                }
            }
            try fixture.write(bytes, to: path)
        }
        #expect(try await fixture.open().values() == Self.values)
    }

    @Test("[OTP-9.1] a file that was cut at any length or made longer is reported")
    func everyLength() async throws {
        let (fixture, files) = try await filled()
        for (path, bytes) in files {
            for count in bytes.indices {
                try fixture.write([UInt8](bytes[..<count]), to: path)
                try await expectReported(fixture, path, "\(count) bytes of \(path)", codes: [.truncated])
            }
            try fixture.write(bytes + [0], to: path)
            try await expectReported(fixture, path, "more bytes of \(path)", codes: [.damaged])
            try fixture.write(bytes, to: path)
        }
    }

    @Test("[OTP-9.1] two files that were exchanged, or one that was copied over another, are reported")
    func everyPair() async throws {
        let (fixture, files) = try await filled()
        for (one, first) in files {
            for (two, second) in files where one != two {
                let codes: Set<SealedStoreError.Code> = [.swapped]
                try fixture.write(second, to: one)
                try await expectReported(fixture, one, "\(two) copied over \(one)", codes: codes)
                try fixture.write(first, to: two)
                try await expectReported(fixture, "\(one) \(two)", "\(one) and \(two)", codes: codes)
                try fixture.restore(files, in: ["secrets"])
            }
        }
    }

    @Test("[OTP-9.1] a file that was removed is reported")
    func everyFileRemoved() async throws {
        let (fixture, files) = try await filled()
        for (path, bytes) in files {
            try fixture.remove(path)
            try await expectReported(fixture, path, path, codes: [.missingFile])
            try fixture.write(bytes, to: path)
        }
    }

    /// The last change of a store before one of its files is rolled back.
    enum Change: CaseIterable, Sendable {
        case newValue, sameName, removal, removalOfAll, rotation

        func make(_ store: SealedStore) async throws {
            switch self {
            case .newValue: try await store.set([9], for: "fourth")
            case .sameName: try await store.set([9], for: "second")
            case .removal: try await store.remove("second")
            case .removalOfAll: try await store.removeAll()
            case .rotation: try await store.rotateKey()
            }
        }
    }

    @Test(
        "[OTP-9.1] each file that is put back alone is reported or has no effect, and never brings a value back",
        arguments: Change.allCases)
    func everyFileRolledBack(change: Change) async throws {
        let (fixture, before) = try await filled()
        let store = try fixture.open()
        try await change.make(store)
        let (after, values) = (try fixture.files(in: ["secrets"]), try await store.values())
        for (path, bytes) in before where after[path] != bytes {
            try fixture.restore(after, in: ["secrets"])
            try fixture.write(bytes, to: path)
            switch await outcome(try fixture.open()) {
            case .success(let read):
                #expect(read == values, "\(path) after \(change)")
                #expect(path != "secrets/manifest", "after \(change)")
            case .failure(let error):
                let expected: SealedStoreError.Code =
                    switch (path, change) {
                    case ("secrets/manifest", .rotation): .keyUnknown
                    case ("secrets/counter", .rotation): .damaged
                    default: .rolledBack
                    }
                #expect(error.code == expected, "\(path) after \(change)")
            }
        }
        // The counter is one change behind after a crash too; two changes are too many.
        try fixture.restore(after, in: ["secrets"])
        try await fixture.open().set([0], for: "fifth")
        try fixture.write(try #require(before["secrets/counter"]), to: "secrets/counter")
        let expected: SealedStoreError.Code = change == .rotation ? .damaged : .rolledBack
        #expect(await (try fixture.open()).code { _ = try await $0.names() } == expected)
    }

    @Test("[OTP-9.1] an earlier version of a value in the place of the present one is reported")
    func earlierValue() async throws {
        let fixture = try SealedStoreFixture()
        let store = try fixture.open()
        try await store.set([1], for: "balance")
        let old = try #require(try fixture.files()["secrets/value-1"])
        try await store.set([0], for: "balance")
        try fixture.write(old, to: "secrets/value-2")
        #expect(await store.code { _ = try await $0.value(of: "balance") } == .rolledBack)
        // A new value ends that.
        try await store.set([5], for: "balance")
        #expect(try await store.value(of: "balance") == [5])
    }

    @Test("a complete folder that is restored from a backup is accepted")
    func wholeFolder() async throws {
        let (fixture, backup) = try await filled()
        let store = try fixture.open()
        try await store.set([9], for: "second")
        try await store.remove("first")
        try fixture.restore(backup, in: ["secrets"])
        #expect(try await store.values() == Self.values)
        #expect(try await fixture.open().values() == Self.values)
        try await store.set([8], for: "fourth")
        #expect(try await fixture.open().value(of: "fourth") == [8])
    }

    @Test("[OTP-9.1] a value from the time before a backup was restored is reported, though it has the same version")
    func otherHistory() async throws {
        let (fixture, backup) = try await filled()
        try await fixture.open().set([9], for: "second")
        let lost = try #require(try fixture.files()["secrets/value-4"])
        try fixture.restore(backup, in: ["secrets"])
        try await fixture.open().set([8], for: "second")
        try fixture.write(lost, to: "secrets/value-4")
        #expect(await (try fixture.open()).code { _ = try await $0.value(of: "second") } == .rolledBack)
    }

    @Test("a value that cannot be read can be written or removed, and the others stay")
    func repair() async throws {
        let (fixture, _) = try await filled()
        try fixture.write([], to: "secrets/value-1")
        let store = try fixture.open()
        #expect(await store.code { try await $0.rotateKey() } == .truncated)
        #expect(try await store.value(of: "second") == Self.values["second"])
        try await store.set([4], for: "first")
        #expect(try await store.value(of: "first") == [4])
        try fixture.write([], to: "secrets/value-4")
        try await store.remove("first")
        try await store.rotateKey()
        #expect(try await store.names() == ["second", "third"])
    }

    @Test(
        "a folder that cannot be read at all is usable after all values are removed",
        arguments: ["manifest", "counter"])
    func removalOfDamage(name: String) async throws {
        let (fixture, _) = try await filled()
        for damage: [UInt8]? in [[], [UInt8](repeating: 1, count: 200), nil] {
            if let damage {
                try fixture.write(damage, to: "secrets/\(name)")
            } else {
                try fixture.remove("secrets/\(name)")
            }
            let store = try fixture.open()
            #expect(await store.code { _ = try await $0.names() } != nil)
            try await store.removeAll()
            #expect(try await store.names().isEmpty)
            #expect(try fixture.files(in: ["secrets"]).keys.allSatisfy { !$0.contains("value") })
            try await store.set([1], for: "again")
            try await store.set([2], for: "again")
            #expect(try await fixture.open().values() == ["again": [2]])
        }
    }

    @Test("a file of a newer version is reported as such, and stays")
    func newerFormat() async throws {
        let (fixture, files) = try await filled()
        var manifest = try #require(files["secrets/manifest"])
        manifest[8] = 2
        try fixture.write(manifest, to: "secrets/manifest")
        let store = try fixture.open()
        #expect(await store.code { _ = try await $0.value(of: "first") } == .newerFormat)
        #expect(await store.code { try await $0.set([], for: "first") } == .newerFormat)
        #expect(try fixture.files()["secrets/manifest"] == manifest)
    }
}
