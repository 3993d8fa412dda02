/// Texts that may appear only once, compared byte by byte, each with the way to where it was first.
struct UniqueTexts {
    private var paths: [[UInt8]: String] = [:]

    /// Takes a text; gives the way to the first one where it is there already.
    mutating func insert(_ text: String, at path: String) -> String? {
        let bytes = Array(text.utf8)
        if let first = paths[bytes] { return first }
        paths[bytes] = path
        return nil
    }
}
