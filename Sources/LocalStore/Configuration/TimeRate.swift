/// How fast subscriptions of a local store renew, by the numbers of a `.storekit` file.
public struct TimeRate: RawRepresentable, Sendable, Hashable, Codable {
    /// The number in the file.
    public let rawValue: Int

    /// Takes any number; one that is unknown counts as real time.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Subscriptions renew as in the real store.
    public static let realTime = Self(rawValue: 0)

    /// The numbers that mean something.
    public static let known: [Int] = Array(0...6) + Array(10...13) + [15] + Array(1000...1005)
}
