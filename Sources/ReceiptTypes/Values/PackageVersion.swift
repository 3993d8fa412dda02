/// The version of the package, which its tools, the C library and the packages for Debian and Python have too.
package enum PackageVersion {
    /// The version as a text of the program.
    package static let cText: StaticString = "0.1.0"
    /// The version with three numbers.
    package static let text = "\(cText)"
}
