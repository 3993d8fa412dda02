// swift-tools-version: 6.2

import PackageDescription

/// The settings of the package under test, except strict memory safety: the targets handle raw input, and
/// AddressSanitizer checks them.
let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableExperimentalFeature("Lifetimes"),
]

// A separate package, so that the library's users never build it. `Tools/fuzz` builds and runs it.
let package = Package(
    name: "receipt-fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "receipt-verification", path: "../..")],
    targets: [
        // Depends on the library only for the compiler flags of OpenSSL.
        .target(
            name: "CFuzzCurve",
            dependencies: [.product(name: "ReceiptVerification", package: "receipt-verification")]
        ),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CFuzzCurve",
                .product(name: "ReceiptTypes", package: "receipt-verification"),
                .product(name: "ReceiptVerification", package: "receipt-verification"),
                .product(name: "ReceiptTestAuthority", package: "receipt-verification"),
                .product(name: "PurchaseCore", package: "receipt-verification"),
                .product(name: "LocalStore", package: "receipt-verification"),
            ],
            swiftSettings: swiftSettings
        ),
    ]
)
