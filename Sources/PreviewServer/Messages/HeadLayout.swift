/// The places of the parts of a request's head, which find bytes that belong to no part.
///
/// libmicrohttpd before version 1 passes on the method, the target and the headers as C strings, which end at a NUL:
/// of the Host `127.0.0.1<NUL>.example.com`, the rules of ``RequestAccess`` would see `127.0.0.1`. It leaves the head
/// as it was received, except for the separators. So the parts follow each other without a gap, unless a NUL has cut
/// one.
///
/// A header that is continued in the next line, and a line that does not end with CR LF, leave gaps too; RFC 9112
/// permits to refuse both.
struct HeadLayout {
    private static let space = 1
    private static let version = "HTTP/1.1".utf8.count
    private static let lineEnd = 2

    private let start: Int
    private var nextLine: Int
    private var isContiguous: Bool

    /// Begins with the first line of a request.
    init(method: Range<Int>, target: Range<Int>) {
        start = method.lowerBound
        nextLine = target.upperBound + Self.space + Self.version + Self.lineEnd
        isContiguous = target.lowerBound == method.upperBound + Self.space
    }

    /// Adds the next header. Between its name and its value are only a colon and spaces.
    mutating func addHeader(_ place: Range<Int>) {
        isContiguous = isContiguous && place.lowerBound == nextLine
        nextLine = place.upperBound + Self.lineEnd
    }

    /// Returns whether the parts and their separators are the whole head, which ends with an empty line.
    func fills(_ size: Int) -> Bool { isContiguous && nextLine + Self.lineEnd == start + size }
}
