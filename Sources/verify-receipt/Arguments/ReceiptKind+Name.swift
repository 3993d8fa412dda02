internal import ReceiptTypes

extension ReceiptKind {
    /// The name of the kind on the command line, such as `renewal-info`.
    var commandLineName: String {
        rawValue.reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : String($1) }
    }
}
