// swift-tools-version: 6.2

import PackageDescription

/// The settings of the package under test.
let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// A separate package, so that the library's users never build it. `Tools/explore` builds and runs it.
let package = Package(
    name: "purchase-explorer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "receipt-verification", path: "../..")],
    targets: [
        .executableTarget(
            name: "Explore",
            dependencies: [
                .product(name: "PurchaseCore", package: "receipt-verification"),
                .product(name: "ReceiptTypes", package: "receipt-verification"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "ExploreTests",
            dependencies: [
                "Explore",
                .product(name: "LedgerConformance", package: "receipt-verification"),
                .product(name: "PurchaseCore", package: "receipt-verification"),
                .product(name: "ReceiptTypes", package: "receipt-verification"),
            ],
            swiftSettings: swiftSettings
        ),
    ]
)
