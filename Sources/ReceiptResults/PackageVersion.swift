/// The version of the package, which `verify-receipt` and the C library have too.
package enum PackageVersion {
    /// The version as a text of the program.
    package static let cText: StaticString = "0.1.0"
    /// The version with three numbers.
    package static let text = "\(cText)"
}
