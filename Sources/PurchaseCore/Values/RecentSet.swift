/// A set of bounded size: it forgets the elements that were inserted long ago.
struct RecentSet<Element: Hashable & Sendable>: Sendable {
    private var values: RecentValues<Element, Bool>

    /// Creates a set that remembers at least the last `capacity` elements, and at most twice as many.
    init(capacity: Int) {
        values = RecentValues(capacity: capacity)
    }

    var count: Int { values.count }

    func contains(_ element: Element) -> Bool { values[element] != nil }

    /// Inserts an element, also one that is there, which is then forgotten later; returns false if it was there.
    @discardableResult
    mutating func insert(_ element: Element) -> Bool {
        let isNew = !contains(element)
        values[element] = true
        return isNew
    }

    mutating func remove(_ element: Element) { values[element] = nil }
}
