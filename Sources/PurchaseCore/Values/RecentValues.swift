/// A dictionary of bounded size: it forgets the values that were set long ago.
struct RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private var recent: [Key: Value] = [:]
    private var earlier: [Key: Value] = [:]

    /// Creates a dictionary that remembers at least the last `capacity` values, and at most twice as many.
    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { recent.count + earlier.count }

    /// The value of a key; one that is set again is forgotten later.
    subscript(key: Key) -> Value? {
        get { recent[key] ?? earlier[key] }
        set {
            earlier[key] = nil
            if newValue != nil, recent[key] == nil, recent.count >= capacity { (earlier, recent) = (recent, [:]) }
            recent[key] = newValue
        }
    }
}
