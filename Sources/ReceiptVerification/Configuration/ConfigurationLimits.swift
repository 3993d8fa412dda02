/// The largest policy file that is read, in each dimension.
enum ConfigurationLimits {
    /// The bytes of the file.
    static let size = 1_048_576
    /// The nested arrays and objects; a root of an app is on the fifth level, and its environments on the sixth.
    static let depth = 8
    static let apps = 1000
    /// The products of one app.
    static let products = 1000
    /// The entries of one list of roots.
    static let roots = 32
    /// The certificates of all roots.
    static let certificates = 256
    static let distrusted = 1000
    /// The bytes of a name that messages repeat.
    static let quotedSize = 64
    /// The characters of a bundle ID, a package name or a product ID.
    static let identifierSize = 255
    /// The bytes of a PEM or a key in the file, and of the name of a file.
    static let textSize = 65_536
    /// The largest App Store ID; larger numbers do not survive a reader that stores numbers as floating point.
    static let appAppleID: Int64 = 9_007_199_254_740_991
}
