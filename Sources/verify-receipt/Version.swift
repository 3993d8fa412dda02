/// The tool's version, which `--version` and the manual page show.
enum Version {
    static let current = "0.1.0"
}
