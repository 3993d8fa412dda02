/// The SplitMix64 random number generator (Steele, Lea and Flood, 2014): a seed yields the same numbers on every
/// machine.
///
/// Use it for IDs, simulations and tests, never for keys.
package struct SplitMix64: RandomNumberGenerator, Sendable, Hashable, Codable {
    private var state: UInt64

    /// Creates a generator with a seed.
    package init(seed: UInt64) {
        state = seed
    }

    /// Returns the next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number below a bound of at least 1. The slight bias of the remainder does not matter for IDs.
    package mutating func below(_ bound: UInt64) -> UInt64 { next() % max(1, bound) }
}
