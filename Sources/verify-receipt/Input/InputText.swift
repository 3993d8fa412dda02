/// The text of one INPUT.
struct InputText {
    /// Where it came from, for results: the path, `-` for standard input, or `argument`.
    let name: String
    let bytes: [UInt8]
}
