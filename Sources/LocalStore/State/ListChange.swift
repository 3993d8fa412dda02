/// The difference between two versions of a list whose elements keep their order and their identity.
///
/// Elements are added only at the end, and can change or be removed anywhere. The difference names elements by their
/// identity, so it also applies to a part of the list.
struct ListChange<Element: StateElement>: Codable, Sendable, Hashable {
    /// The removed elements.
    private(set) var deleted: [Element.Identity]?
    /// The changed elements.
    private(set) var changed: [Element]?
    /// The new elements.
    private(set) var added: [Element]?

    /// In version 2 of the state file, the positions of the removed elements in the old list, in ascending order.
    private var removed: [Int]?
    /// In version 2 of the state file, the changed elements.
    private var replaced: [Replacement]?

    /// A changed element, with its position after the removal of other elements.
    private struct Replacement: Codable, Sendable, Hashable {
        let at: Int
        let value: Element
    }

    /// Creates the difference; nil for equal lists.
    ///
    /// - Parameter isConstant: Whether elements never change. Then lists that only grow are compared in constant time.
    init?(from old: [Element], to new: [Element], isConstant: Bool = false) {
        if isConstant, let last = old.indices.last, new.indices.contains(last), old[last].identity == new[last].identity
        {
            if new.count == old.count { return nil }
            added = Array(new[(last + 1)...])
            return
        }
        // Lists that share their storage are equal without a look at their elements.
        if old == new { return nil }
        var (deletions, changes): ([Element.Identity], [Element]) = ([], [])
        var place = 0
        for element in old {
            guard place < new.count, element.identity == new[place].identity else {
                deletions.append(element.identity)
                continue
            }
            if element != new[place] { changes.append(new[place]) }
            place += 1
        }
        deleted = deletions.isEmpty ? nil : deletions
        changed = changes.isEmpty ? nil : changes
        added = place == new.count ? nil : Array(new[place...])
    }

    /// Whether elements were removed.
    var removesElements: Bool { deleted != nil || removed != nil }

    /// Applies the difference to the old list; returns false if it belongs to another list.
    func apply(to list: inout [Element]) -> Bool {
        guard applyPositions(to: &list) else { return false }
        if let deleted {
            let (identities, count) = (Set(deleted), list.count)
            list.removeAll { identities.contains($0.identity) }
            guard count - list.count == deleted.count else { return false }
        }
        for element in changed ?? [] {
            guard let position = Element.position(of: element.identity, in: list) else { return false }
            list[position] = element
        }
        list += added ?? []
        return true
    }

    /// Applies the positions of version 2.
    private func applyPositions(to list: inout [Element]) -> Bool {
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
        return true
    }
}

extension ListChange where Element.Identity == Int64 {
    /// Applies a difference to a part of the old list.
    ///
    /// A changed element that the part does not have is inserted. A removed one can be missing.
    func apply(toPart list: inout [Element], including isIncluded: (Element) -> Bool) {
        if let deleted {
            let identities = Set(deleted)
            list.removeAll { identities.contains($0.identity) }
        }
        for element in (changed ?? []) + (added ?? []) where isIncluded(element) {
            let position = Element.insertionPosition(of: element.identity, in: list)
            if position < list.endIndex, list[position].identity == element.identity {
                list[position] = element
            } else {
                list.insert(element, at: position)
            }
        }
    }
}
