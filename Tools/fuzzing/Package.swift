// swift-tools-version: 6.2

import PackageDescription

/// The settings of the package under test, save for strict memory safety: a fuzz target is all about raw input, and the
/// sanitizers watch over it.
let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableExperimentalFeature("Lifetimes"),
]

// A package of its own, so that nobody who uses the library ever builds it. `Tools/fuzz` builds and runs it.
let package = Package(
    name: "receipt-fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "receipt-verification", path: "../..")],
    targets: [
        // The package's libraries stand here for OpenSSL's compiler flags, which come with them.
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
