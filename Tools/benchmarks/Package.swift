// swift-tools-version: 6.2

import PackageDescription

// A separate package, so that the library's users never build it. `Tools/bench` builds and runs it.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "receipt-verification", path: "../..")],
    targets: [
        .target(name: "CMeasurement", linkerSettings: [.linkedLibrary("crypto"), .linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "Benchmark",
            dependencies: [
                "CMeasurement",
                .product(name: "ReceiptVerification", package: "receipt-verification"),
                .product(name: "ReceiptTestAuthority", package: "receipt-verification"),
                .product(name: "ReceiptTypes", package: "receipt-verification"),
                .product(name: "PurchaseCore", package: "receipt-verification"),
                .product(name: "PurchaseStorage", package: "receipt-verification"),
                .product(name: "LocalStore", package: "receipt-verification"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
    ]
)
