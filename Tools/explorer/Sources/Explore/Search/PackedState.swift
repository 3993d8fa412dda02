/// A state in 16 bytes: the numbers of its four parts in their ``PartTable``s.
///
/// Equal parts have equal numbers, so equal states have equal bytes. No two states are ever taken for one, as could
/// happen with a hash.
struct PackedState: Equatable, Sendable {
    var ledger: UInt32
    var world: UInt32
    var first: UInt32
    var second: UInt32

    /// Well distributed bits for a hash table.
    var hash: UInt64 {
        var bits = UInt64(ledger) << 32 | UInt64(world)
        bits = (bits ^ (bits >> 29)) &* 0xbf58_476d_1ce4_e5b9
        bits ^= UInt64(first) << 32 | UInt64(second)
        bits = (bits ^ (bits >> 31)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 30)
    }
}

/// The distinct values of one part of a state, each with a number.
///
/// A part changes only a few ways, so a state of a few numbers stands for values of thousands of bytes, and what a rule
/// or a machine makes of a part is computed once.
struct PartTable<Part: Hashable> {
    private(set) var parts: [Part] = []
    private var numbers: [Part: UInt32] = [:]

    /// Returns the number of a part, which is added if it is new.
    mutating func number(of part: Part) -> UInt32 {
        if let number = numbers[part] { return number }
        let number = UInt32(parts.count)
        numbers[part] = number
        parts.append(part)
        return number
    }

    subscript(number: UInt32) -> Part { parts[Int(number)] }
}
