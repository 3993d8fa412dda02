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

    /// Inserts an element, also one that is there, which is then forgotten later; returns false if it was there.
    @discardableResult
    mutating func insert(_ element: Element) -> Bool {
        if recent.contains(element) { return false }
        let isNew = earlier.remove(element) == nil
        if recent.count >= capacity { (earlier, recent) = (recent, []) }
        recent.insert(element)
        return isNew
    }

    mutating func remove(_ element: Element) {
        recent.remove(element)
        earlier.remove(element)
    }
}
