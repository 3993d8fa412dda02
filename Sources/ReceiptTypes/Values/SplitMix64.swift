/// A generator with a seed: the same seed gives the same numbers on every machine (Steele, Lea and Flood, 2014).
///
/// It is for ids, simulations and tests, and never for keys.
package struct SplitMix64: RandomNumberGenerator, Sendable, Hashable, Codable {
    private var state: UInt64

    /// Starts from a seed.
    package init(seed: UInt64) {
        state = seed
    }

    /// The next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number below a bound, which is at least 1. What the remainder favours does not matter for ids.
    package mutating func below(_ bound: UInt64) -> UInt64 { next() % max(1, bound) }
}
