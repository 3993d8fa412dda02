import Foundation
import PurchaseCore
import ReceiptTypes
import ReceiptVerification
import Testing

@testable import PurchaseStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Each store opens the folder anew and takes the lock of the file system, as a store of another process does.
@Suite("Sealed stores that share a folder [OTP-9.1]")
struct SealedStoreSharingTests {
    @Test("no change of stores that write at the same time is lost, and a reader never sees a part of one")
    func parallelWrites() async throws {
        let fixture = try SealedStoreFixture()
        let (writers, rounds) = (6, 12)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                let store = try fixture.open()
                group.addTask {
                    for round in 0..<rounds {
                        try await store.set([UInt8](repeating: UInt8(writer), count: 2000 + round), for: "shared")
                        try await store.set([UInt8(round)], for: "\(writer).\(round)")
                        if round % 3 == 0 { try await store.remove("\(writer).\(round)") }
                    }
                }
            }
            for _ in 0..<2 {
                let store = try fixture.open()
                group.addTask {
                    for _ in 0..<60 {
                        guard let value = try await store.value(of: "shared") else { continue }
                        #expect(value.count >= 2000 && Set(value).count == 1)
                        _ = try await store.names()
                    }
                }
            }
            try await group.waitForAll()
        }
        let values = try await fixture.open().values()
        let expected = (0..<writers).flatMap { writer in
            (0..<rounds).filter { $0 % 3 != 0 }.map { "\(writer).\($0)" }
        }
        #expect(Set(values.keys) == Set(expected + ["shared"]))
        #expect(try fixture.files(in: ["secrets"]).count == values.count + 2)
    }

    @Test("no change of threads that are interrupted at every step is lost")
    func interruptedThreads() async throws {
        let fixture = try SealedStoreFixture()
        let folder = SealedFolder(path: fixture.folder, limits: SealedStoreLimits(), step: { sched_yield() })
        try folder.create()
        let ring = try SealingKeyRing(try await SealingKeyFile(fixture.keyPath).keys())
        let (threads, rounds) = (4, 25)
        let errors = Locked<[SealedStoreError]>([])
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for round in 0..<rounds {
                do throws(SealedStoreError) {
                    let name = [UInt8]("\(thread).\(round)")
                    _ = try folder.set(name, to: name, isReplacing: true, ring)
                    if try folder.value(of: name, ring) != name { throw SealedStoreError(.missingFile, "lost") }
                } catch {
                    errors.withLock { $0.append(error) }
                }
            }
        }
        #expect(errors.withLock { $0.map(\.message) } == [])
        #expect(try folder.names(ring).count == threads * rounds)
    }

    @Test("no value is lost when the key is rotated while other stores write and read")
    func parallelRotations() async throws {
        let fixture = try SealedStoreFixture()
        try await fixture.open().set([0], for: "constant")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<3 {
                let store = try fixture.open()
                group.addTask {
                    for round in 0..<10 {
                        try await store.set([UInt8(round)], for: "\(writer).\(round)")
                        #expect(try await store.value(of: "constant") == [0])
                    }
                }
            }
            for _ in 0..<2 {
                let store = try fixture.open()
                group.addTask { for _ in 0..<5 { try await store.rotateKey() } }
            }
            try await group.waitForAll()
        }
        let store = try fixture.open()
        try await store.reseal()
        let keys = try await SealingKeyFile(fixture.keyPath).keys()
        #expect(keys.earlier.isEmpty)
        #expect(try await fixture.open(keys: GivenSealingKeys(current: keys.current)).values().count == 31)
    }

    @Test("a store that has not heard of a rotation asks for the new key, and writes nothing with the old one")
    func outdatedKeys() async throws {
        let fixture = try SealedStoreFixture()
        let (one, two) = (try fixture.open(), try fixture.open())
        try await one.set([1], for: "one")
        #expect(try await two.value(of: "one") == [1])
        let old = try await SealingKeyFile(fixture.keyPath).keys().current
        try await one.rotateKey()
        try await two.set([2], for: "two")
        #expect(try await two.values() == ["one": [1], "two": [2]])
        let late = try fixture.open(keys: GivenSealingKeys(current: old))
        let before = try fixture.files()
        #expect(await late.code { _ = try await $0.value(of: "one") } == .keyUnknown)
        #expect(await late.code { try await $0.set([3], for: "one") } == .keyUnknown)
        #expect(try fixture.files() == before)
    }

    @Test("a store whose keys are outdated by a rotation again and again finds the key in the end")
    func repeatedRotations() async throws {
        let fixture = try SealedStoreFixture()
        let other = try fixture.open()
        try await other.set([1], for: "one")
        let keys = OvertakenKeys(file: SealingKeyFile(fixture.keyPath), other: other, rotations: 5)
        let store = try fixture.open(keys: keys)
        #expect(try await store.value(of: "one") == [1])
        #expect(keys.remaining.withLock { $0 } == 0)
    }

    @Test("a key provider that returns another key each time leads to an error")
    func changingKeys() async throws {
        struct ChangingKeys: SealingKeyProvider {
            func keys() async throws(SealedStoreError) -> SealingKeys {
                do {
                    return SealingKeys(current: try .random())
                } catch {
                    throw SealedStoreError(error)
                }
            }
        }
        let fixture = try SealedStoreFixture()
        try await fixture.open().set([1], for: "one")
        let store = try fixture.open(keys: ChangingKeys())
        #expect(await store.code { _ = try await $0.value(of: "one") } == .keyUnknown)
    }

    @Test("a rotation of an empty store keeps a store with the old key from writing the first value")
    func emptyRotation() async throws {
        let fixture = try SealedStoreFixture()
        let (one, two) = (try fixture.open(), try fixture.open())
        #expect(try await two.names().isEmpty)
        try await one.rotateKey()
        try await two.set([1], for: "one")
        #expect(try await fixture.open().values() == ["one": [1]])
    }

    @Test("a file whose folder another process keeps locked is read, and a change waits for it and then reports it")
    func lock() async throws {
        let fixture = try SealedStoreFixture()
        let store = try fixture.open()
        try await store.set([1], for: "one")
        let descriptor = unsafe open(fixture.folder, O_RDONLY)
        try #require(flock(descriptor, LOCK_EX) == 0)
        #expect(try await store.value(of: "one") == [1])
        let short = try fixture.open(SealedStoreLimits(lockAttempts: 1))
        #expect(await short.code { try await $0.set([2], for: "one") } == .busy)
        #expect(try await store.value(of: "one") == [1])
        close(descriptor)
        try await store.set([2], for: "one")
        #expect(try await store.value(of: "one") == [2])
    }

    @Test("a process that releases the folder and takes it again does not overtake one that waits")
    func queue() async throws {
        let fixture = try SealedStoreFixture()
        let ring = try SealingKeyRing(try await SealingKeyFile(fixture.keyPath).keys())
        try await fixture.open().set([1], for: "one")
        let folder = unsafe open(fixture.folder, O_RDONLY | O_DIRECTORY)
        let queue = unsafe open("\(fixture.folder)/queue", O_RDWR)
        defer { for file in [folder, queue] { _ = close(file) } }
        #expect(FileLock.exclusive.take(folder))
        let isQueued = Locked(false)
        let waiting = SealedFolder(
            path: fixture.folder, limits: SealedStoreLimits(lockAttempts: 2),
            step: {
                guard FileLock.exclusive.queue.take(queue) else {
                    // The place is taken: the process that has the folder now lets the one there have it.
                    if !isQueued.withLock({ $0 }) { FileLock.exclusive.release(folder) }
                    return isQueued.withLock { $0 = true }
                }
                FileLock.exclusive.queue.release(queue)
            })
        #expect(try waiting.set([UInt8]("one"), to: [2], isReplacing: true, ring) == [2])
        #expect(isQueued.withLock { $0 })
        #expect(FileLock.exclusive.queue.take(queue), "the place in the queue is free again")
        // A change waits behind a place that is taken, also if nothing has the folder.
        let behind = try fixture.open(SealedStoreLimits(lockAttempts: 1))
        #expect(await behind.code { try await $0.set([3], for: "one") } == .busy)
        #expect(try await behind.value(of: "one") == [2])
    }

    @Test("changes that wait for another process leave the threads to other tasks")
    func waitingThreads() async throws {
        let fixture = try SealedStoreFixture()
        let stores = try (0...ProcessInfo.processInfo.activeProcessorCount).map { _ in try fixture.open() }
        for store in stores { _ = try await store.names() }
        let descriptor = unsafe open(fixture.folder, O_RDONLY | O_DIRECTORY)
        defer { _ = close(descriptor) }
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        let changes = stores.map { store in Task { try await store.set([1], for: "one") } }
        // Behind the changes, which have begun before.
        for _ in stores { await Task.detached {}.value }
        #expect(flock(descriptor, LOCK_UN) == 0)
        for change in changes { try await change.value }
    }
}

/// The keys of a file, with a rotation by another store between the moment when they are read and their use.
private final class OvertakenKeys: SealingKeyProvider {
    private let file: SealingKeyFile
    private let other: SealedStore
    /// The rotations that are still to come.
    let remaining: Locked<Int>

    init(file: SealingKeyFile, other: SealedStore, rotations: Int) {
        self.file = file
        self.other = other
        remaining = Locked(rotations)
    }

    func keys() async throws(SealedStoreError) -> SealingKeys {
        let keys = try await file.keys()
        let isOvertaken = remaining.withLock { count in
            guard count > 0 else { return false }
            count -= 1
            return true
        }
        if isOvertaken { try await other.rotateKey() }
        return keys
    }
}
