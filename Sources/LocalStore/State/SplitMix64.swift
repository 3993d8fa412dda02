/// The generator of a store's ids: the same seed gives the same numbers on every machine.
///
/// It is for ids and plans and never for keys.
public struct SplitMix64: RandomNumberGenerator, Sendable, Hashable, Codable {
    private var state: UInt64

    /// Starts from a seed.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number below a bound, which is at least 1. What the remainder favours does not matter for ids.
    mutating func below(_ bound: UInt64) -> UInt64 { next() % max(1, bound) }

    /// A version 4 UUID in lower case (RFC 9562 5.4).
    mutating func uuid() -> String {
        let high = next() & ~0xf000 | 0x4000
        let low = next() >> 2 | 0x8000_0000_0000_0000
        let digits = [high, low].map { value in
            let text = String(value, radix: 16)
            return String(repeating: "0", count: max(0, 16 - text.count)) + text
        }.joined()
        var rest = digits[...]
        return [8, 4, 4, 4, 12].map { length in
            defer { rest = rest.dropFirst(length) }
            return String(rest.prefix(length))
        }.joined(separator: "-")
    }
}
