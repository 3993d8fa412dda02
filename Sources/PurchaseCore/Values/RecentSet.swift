/// A set of bounded size: it forgets the elements that were inserted long ago.
struct RecentSet<Element: Hashable & Sendable>: Sendable {
    private let capacity: Int
    private var recent: Set<Element> = []
    private var earlier: Set<Element> = []

    /// Creates a set that remembers at least the last `capacity` elements, and at most twice as many.
    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { recent.count + earlier.count }

    func contains(_ element: Element) -> Bool { recent.contains(element) || earlier.contains(element) }

    /// Inserts an element; returns false if it was there.
    @discardableResult
    mutating func insert(_ element: Element) -> Bool {
        guard !contains(element) else { return false }
        if recent.count >= capacity { (earlier, recent) = (recent, []) }
        recent.insert(element)
        return true
    }

    mutating func remove(_ element: Element) {
        recent.remove(element)
        earlier.remove(element)
    }
}
