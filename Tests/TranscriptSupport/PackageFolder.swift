package import Foundation

/// The package that the tests belong to.
package enum PackageFolder {
    package static let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}
