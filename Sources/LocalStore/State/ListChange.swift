/// The difference between two versions of a list whose elements keep their order and their identity.
///
/// Elements are added only at the end, and can change or be removed anywhere.
struct ListChange<Element: Codable & Sendable & Hashable>: Codable, Sendable, Hashable {
    /// An element that has changed, with its position after the removal of other elements.
    struct Replacement: Codable, Sendable, Hashable {
        let at: Int
        let value: Element
    }

    /// The positions of the removed elements in the old list, in ascending order.
    var removed: [Int]?
    /// The changed elements, in ascending order of their positions.
    var replaced: [Replacement]?
    /// The new elements.
    var added: [Element]?

    /// Creates the difference; nil for equal lists.
    ///
    /// - Parameters:
    ///   - isVersion: Returns whether two elements are versions of one element.
    ///   - isConstant: Whether elements never change. Then lists that only grow are compared in constant time.
    init?(
        from old: [Element], to new: [Element], isConstant: Bool = false, isVersion: (Element, Element) -> Bool
    ) {
        if isConstant, let last = old.indices.last, new.indices.contains(last), isVersion(old[last], new[last]) {
            if new.count == old.count { return nil }
            added = Array(new[(last + 1)...])
            return
        }
        // Lists that share their storage are equal without a look at their elements.
        if old == new { return nil }
        var (removals, replacements): ([Int], [Replacement]) = ([], [])
        var place = 0
        for (position, element) in old.enumerated() {
            guard place < new.count, isVersion(element, new[place]) else {
                removals.append(position)
                continue
            }
            if element != new[place] { replacements.append(Replacement(at: place, value: new[place])) }
            place += 1
        }
        removed = removals.isEmpty ? nil : removals
        replaced = replacements.isEmpty ? nil : replacements
        added = place == new.count ? nil : Array(new[place...])
    }

    /// Applies the difference to the old list; returns false if it belongs to another list.
    func apply(to list: inout [Element]) -> Bool {
        if let removed {
            var previous = -1
            for position in removed {
                guard position > previous, position < list.count else { return false }
                previous = position
            }
            let positions = Set(removed)
            var position = -1
            list.removeAll { _ in
                position += 1
                return positions.contains(position)
            }
        }
        for replacement in replaced ?? [] {
            guard list.indices.contains(replacement.at) else { return false }
            list[replacement.at] = replacement.value
        }
        list += added ?? []
        return true
    }
}
