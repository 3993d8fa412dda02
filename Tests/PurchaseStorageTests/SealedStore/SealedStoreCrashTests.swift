import Foundation
import ReceiptVerification
import Testing

@testable import PurchaseStorage

@Suite("Sealed store after a crash at any step [OTP-9.1]")
struct SealedStoreCrashTests {
    /// A change, and the values before it.
    enum Change: CaseIterable, Sendable {
        case firstValue, newValue, sameName, removal, removalOfAll, rotation, secondRotation

        var before: [String: [UInt8]] {
            self == .firstValue ? [:] : ["first": [1], "second": [2, 2], "third": []]
        }

        var after: [String: [UInt8]] {
            switch self {
            case .firstValue: ["new": [9]]
            case .newValue: before.merging(["new": [9]]) { $1 }
            case .sameName: before.merging(["second": [9]]) { $1 }
            case .removal: before.filter { $0.key != "second" }
            case .removalOfAll: [:]
            case .rotation, .secondRotation: before
            }
        }

        func make(_ store: SealedStore) async throws {
            switch self {
            case .firstValue, .newValue: try await store.set([9], for: "new")
            case .sameName: try await store.set([9], for: "second")
            case .removal: try await store.remove("second")
            case .removalOfAll: try await store.removeAll()
            case .rotation, .secondRotation: try await store.rotateKey()
            }
        }
    }

    /// Makes a change, and returns the copies of the folders at each of its steps.
    private func copies(_ change: Change, in fixture: SealedStoreFixture) async throws -> [SealedStoreFixture.Files] {
        let plain = try fixture.open()
        for (name, value) in change.before { try await plain.set(value, for: name) }
        if change == .secondRotation { try await plain.rotateKey() }
        let points = CrashPoints()
        let store = try fixture.open(step: points.step(fixture))
        points.reset()
        try await change.make(store)
        return points.all + [try fixture.files()]
    }

    @Test(
        "a store has either the values before a change or those after it, and takes the next change",
        arguments: Change.allCases)
    func everyStep(change: Change) async throws {
        let fixture = try SealedStoreFixture()
        let copies = try await copies(change, in: fixture)
        #expect(copies.count >= 6, "a change has more steps")
        var states: [[String: [UInt8]]] = []
        for (step, files) in copies.enumerated() {
            try fixture.restore(files)
            let values = try await fixture.open().values()
            #expect(values == change.before || values == change.after, "step \(step)")
            states.append(values)
            // The next process goes on and leaves nothing behind.
            let store = try fixture.open()
            try await store.set([7], for: "next")
            #expect(try await store.values() == values.merging(["next": [7]]) { $1 }, "step \(step)")
            let left = try fixture.files(in: ["secrets"]).keys
            #expect(left.count == values.count + 3, "step \(step): \(left.sorted())")
        }
        #expect(states.first == change.before)
        #expect(states.last == change.after)
        // Once the change has happened, no later step takes it back.
        if change.before != change.after {
            let commit = try #require(states.firstIndex(of: change.after))
            #expect(states[commit...].allSatisfy { $0 == change.after })
        }
    }

    @Test("a second crash, in the change after the first crash, leaves a store that can be read and changed too")
    func twoCrashes() async throws {
        let fixture = try SealedStoreFixture()
        let points = CrashPoints()
        for (step, files) in try await copies(.sameName, in: fixture).enumerated() {
            try fixture.restore(files)
            let store = try fixture.open(step: points.step(fixture))
            let values = try await store.values()
            points.reset()
            try await store.set([8], for: "other")
            for (second, files) in points.all.enumerated() {
                try fixture.restore(files)
                let last = try fixture.open()
                let read = try await last.values()
                #expect(read == values || read == values.merging(["other": [8]]) { $1 }, "\(step), \(second)")
                try await last.set([7], for: "last")
                #expect(try await last.value(of: "last") == [7])
            }
        }
    }

    @Test(
        "a rotation that was interrupted at any step is ended by the next one or by sealing again",
        arguments: [Change.rotation, .secondRotation], [true, false])
    func rotationIsEnded(change: Change, byRotation: Bool) async throws {
        let fixture = try SealedStoreFixture()
        for (step, files) in try await copies(change, in: fixture).enumerated() {
            try fixture.restore(files)
            let store = try fixture.open()
            if byRotation { try await store.rotateKey() } else { try await store.reseal() }
            // One key is left, and it alone opens everything.
            let keys = try await SealingKeyFile(fixture.keyPath).keys()
            #expect(keys.earlier.isEmpty, "step \(step)")
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(fixture.base)/keys")
            #expect(names.filter { !$0.hasSuffix(".tmp") } == ["sealing.key"], "step \(step)")
            let reopened = try fixture.open(keys: GivenSealingKeys(current: keys.current))
            #expect(try await reopened.values() == change.before, "step \(step)")
        }
    }

    @Test("a crash during the creation of a store leaves one that can be used")
    func creation() async throws {
        let fixture = try SealedStoreFixture()
        let points = CrashPoints()
        let store = try fixture.open(step: points.step(fixture))
        _ = try await store.names()
        for files in points.all {
            try fixture.restore(files)
            let reopened = try fixture.open()
            #expect(try await reopened.names().isEmpty)
            try await reopened.set([1], for: "one")
        }
    }

    @Test("a crash during the removal of what cannot be read leaves a store that can be emptied again")
    func removalOfDamage() async throws {
        let fixture = try SealedStoreFixture()
        let store = try fixture.open()
        for name in ["one", "two", "three"] { try await store.set([1], for: name) }
        try fixture.write([], to: "secrets/manifest")
        let points = CrashPoints()
        try await fixture.open(step: points.step(fixture)).removeAll()
        #expect(points.all.count > 4)
        for files in points.all {
            try fixture.restore(files)
            let next = try fixture.open()
            try await next.removeAll()
            try await next.set([2], for: "again")
            #expect(try await fixture.open().values() == ["again": [2]])
        }
    }
}
