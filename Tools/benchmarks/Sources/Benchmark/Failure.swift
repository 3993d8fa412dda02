/// Why there is nothing to report: a wrong invocation, a missing file, or work that did not come out as it must.
struct Failure: Error {
    let message: String
    var hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}
