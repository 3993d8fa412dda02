/// A file or folder, and its path after it was set aside.
struct AsideFile {
    private let base: String
    private let suffix: String

    /// - Parameter suffix: What follows the name of the file that it belongs to.
    init(_ base: String, _ suffix: String = "") {
        self.base = base
        self.suffix = suffix
    }

    static let mark = ".damaged-"

    var path: String { base + suffix }

    func path(aside name: String) -> String { base + Self.mark + name + suffix }
}
