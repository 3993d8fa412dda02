import PurchaseStorage
import ReceiptVerification
import Testing

/// Checks that a new key is current, and that the keys before it stay until they are forgotten.
func checkRotation(of provider: some SealingKeyProvider) async throws {
    let first = try await provider.keys().current
    let second = try await provider.makeKey()
    #expect(second.earlier == [first])
    let third = try await provider.makeKey()
    #expect(Set(third.earlier) == [first, second.current])
    #expect(try await provider.keys() == third)
    try await provider.forget([first, third.current])
    #expect(try await provider.keys() == SealingKeys(current: third.current, earlier: [second.current]))
    try await provider.forget(third.earlier)
    #expect(try await provider.keys() == SealingKeys(current: third.current))
}

/// Checks that calls that need the first key at the same time get the same one.
func checkFirstKey(of provider: some SealingKeyProvider) async throws {
    let keys = try await withThrowingTaskGroup(of: SealingKeys.self) { group in
        for _ in 0..<8 { group.addTask { try await provider.keys() } }
        return try await group.reduce(into: Set<SealingKeys>()) { $0.insert($1) }
    }
    #expect(keys.count == 1)
    #expect(keys.first?.earlier == [])
}

/// Checks that keys that are made at the same time are all kept.
func checkParallelKeys(of provider: some SealingKeyProvider) async throws {
    let first = try await provider.keys().current
    let answers = try await withThrowingTaskGroup(of: SealingKeys.self) { group in
        for _ in 0..<8 { group.addTask { try await provider.makeKey() } }
        return try await group.reduce(into: [SealingKeys]()) { $0.append($1) }
    }
    let keys = try await provider.keys()
    let all = Set(keys.earlier + [keys.current])
    #expect(all.count == 9 && all.contains(first))
    // What a call has returned as current is a key from then on.
    #expect(all.isSuperset(of: answers.map(\.current)))
}
