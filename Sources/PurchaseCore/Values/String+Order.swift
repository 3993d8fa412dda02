extension String {
    /// Whether the bytes of the text come before those of another.
    func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
