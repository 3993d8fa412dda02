extension String {
    /// Whether two strings have the same bytes, where `==` would also accept what only looks the same.
    package func isIdentical(to other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
