// swift-tools-version: 6.3

import PackageDescription

/// Every Swift target is written in the Swift 6 mode with strict memory safety; `Tools/test` turns warnings into errors.
let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableExperimentalFeature("Lifetimes"),
]

let package = Package(
    name: "receipt-verification",
    platforms: [.macOS(.v15), .iOS(.v15)],
    products: [
        .library(name: "ReceiptTypes", targets: ["ReceiptTypes"]),
        .library(name: "ReceiptVerification", targets: ["ReceiptVerification"]),
        .library(name: "ReceiptTestAuthority", targets: ["ReceiptTestAuthority"]),
        .library(name: "PurchaseCore", targets: ["PurchaseCore"]),
        .library(name: "PurchaseVerification", targets: ["PurchaseVerification"]),
        .library(name: "LedgerConformance", targets: ["LedgerConformance"]),
        .library(name: "PurchaseStorage", targets: ["PurchaseStorage"]),
        .library(name: "PurchaseSync", targets: ["PurchaseSync"]),
        .library(name: "PurchaseAssembly", targets: ["PurchaseAssembly"]),
        .library(name: "Paywall", targets: ["Paywall"]),
        .library(name: "LocalStore", targets: ["LocalStore"]),
        .library(name: "PurchaseSimulation", targets: ["PurchaseSimulation"]),
        .library(name: "receiptverify", type: .dynamic, targets: ["ReceiptVerifyLibrary"]),
        .library(
            name: "receiptverify-vectors", type: .dynamic, targets: ["ReceiptVerifyLibrary", "ReceiptVerifyVectors"]),
        .executable(name: "verify-receipt", targets: ["verify-receipt"]),
        .executable(name: "local-store", targets: ["local-store"]),
        .executable(name: "purchases", targets: ["purchases"]),
        .executable(name: "paywall-preview", targets: ["paywall-preview"]),
    ],
    targets: [
        .systemLibrary(
            name: "COpenSSL",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
        ),
        .systemLibrary(
            name: "CJansson",
            pkgConfig: "jansson",
            providers: [.apt(["libjansson-dev"]), .brew(["jansson"])]
        ),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .systemLibrary(
            name: "CMicroHTTPD",
            pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]
        ),
        .systemLibrary(name: "CReceiptVerify"),
        .target(name: "CReceiptCrypto", dependencies: ["COpenSSL", "CJansson"]),
        .target(name: "CSecretService", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(name: "ReceiptTypes", swiftSettings: swiftSettings),
        .target(
            name: "ReceiptVerification",
            dependencies: ["CReceiptCrypto", "ReceiptTypes"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "ReceiptTestAuthority",
            dependencies: ["ReceiptVerification", "ReceiptTypes"],
            swiftSettings: swiftSettings
        ),
        .target(name: "PurchaseCore", dependencies: ["ReceiptTypes"], swiftSettings: swiftSettings),
        .target(
            name: "PurchaseVerification",
            dependencies: ["PurchaseCore", "ReceiptVerification"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "LedgerConformance", dependencies: ["PurchaseCore", "ReceiptTypes"], swiftSettings: swiftSettings),
        .target(
            name: "LocalStore",
            dependencies: ["PurchaseCore", "ReceiptTestAuthority", "ReceiptVerification", "ReceiptTypes", "SQLite"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "SQLite",
            dependencies: ["CSQLite", "ReceiptVerification", "ReceiptTypes"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "PurchaseStorage",
            dependencies: ["CSecretService", "SQLite", "PurchaseCore", "ReceiptVerification", "ReceiptTypes"],
            swiftSettings: swiftSettings
        ),
        .target(name: "PurchaseSync", dependencies: ["PurchaseCore", "ReceiptTypes"], swiftSettings: swiftSettings),
        .target(name: "Paywall", dependencies: ["PurchaseCore", "ReceiptTypes"], swiftSettings: swiftSettings),
        .target(
            name: "PurchaseAssembly",
            dependencies: [
                "PurchaseCore", "PurchaseStorage", "PurchaseVerification", "ReceiptVerification", "ReceiptTypes",
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "PurchaseSimulation",
            dependencies: [
                "LocalStore", "PurchaseCore", "PurchaseVerification", "ReceiptVerification", "ReceiptTypes",
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "ReceiptVectors",
            dependencies: ["ReceiptVerification", "ReceiptTypes"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "ReceiptResults",
            dependencies: ["ReceiptVerification", "ReceiptTypes"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "ReceiptVerifyLibrary",
            dependencies: ["CReceiptVerify", "ReceiptResults", "ReceiptVerification", "ReceiptTypes"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "ReceiptVerifyVectors",
            dependencies: ["ReceiptVerifyLibrary", "ReceiptVectors", "ReceiptVerification", "ReceiptTypes"],
            swiftSettings: swiftSettings
        ),
        .target(name: "CommandLineInterface", dependencies: ["ReceiptTypes"], swiftSettings: swiftSettings),
        .target(name: "PreviewServer", dependencies: ["CMicroHTTPD", "ReceiptTypes"], swiftSettings: swiftSettings),
        .executableTarget(
            name: "verify-receipt",
            dependencies: [
                "CommandLineInterface", "ReceiptResults", "ReceiptTestAuthority", "ReceiptVerification", "ReceiptTypes",
                "ReceiptVectors",
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "local-store",
            dependencies: [
                "CommandLineInterface", "LocalStore", "PurchaseCore", "PurchaseVerification", "ReceiptVerification",
                "ReceiptTypes",
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "purchases",
            dependencies: [
                "CommandLineInterface", "PurchaseAssembly", "PurchaseCore", "PurchaseStorage", "PurchaseVerification",
                "ReceiptVerification", "ReceiptTypes",
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "paywall-preview",
            dependencies: [
                "CommandLineInterface", "LocalStore", "Paywall", "PreviewServer", "PurchaseAssembly", "PurchaseCore",
                "PurchaseSimulation", "PurchaseStorage", "PurchaseVerification", "ReceiptTypes", "ReceiptVerification",
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "PackageTests",
            dependencies: [
                "ReceiptTypes", "ReceiptVerification", "ReceiptTestAuthority", "PurchaseCore", "PurchaseVerification",
                "LedgerConformance", "PurchaseStorage", "PurchaseSync", "Paywall", "PurchaseAssembly",
                "LocalStore", "PurchaseSimulation", "example-app",
            ],
            exclude: ["PublicAPI"],
            swiftSettings: swiftSettings
        ),
        .testTarget(name: "ReceiptTypesTests", dependencies: ["ReceiptTypes"], swiftSettings: swiftSettings),
        .testTarget(
            name: "ReceiptVerificationTests",
            dependencies: ["ReceiptVerification", "ReceiptTestAuthority", "ReceiptTypes", "CReceiptCrypto"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "PurchaseCoreTests",
            dependencies: [
                "PurchaseCore", "PurchaseVerification", "PurchaseSimulation", "LedgerConformance", "LocalStore",
                "ReceiptTestAuthority", "ReceiptVerification", "ReceiptTypes", "TimerSupport", "TranscriptSupport",
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "storage-worker",
            dependencies: ["PurchaseStorage", "PurchaseCore", "ReceiptVerification", "ReceiptTypes"],
            path: "Tests/StorageWorker",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "PurchaseStorageTests",
            dependencies: [
                "PurchaseStorage", "LedgerConformance", "PurchaseCore", "PurchaseVerification", "LocalStore",
                "ReceiptTestAuthority", "ReceiptVerification", "ReceiptTypes", "SQLite", "DamageSupport",
                "TimerSupport",
                "TranscriptSupport", "storage-worker",
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "example-app",
            dependencies: [
                "PurchaseAssembly", "PurchaseSimulation", "PurchaseStorage", "PurchaseCore", "LocalStore",
                "ReceiptTypes",
            ],
            path: "Tests/ExampleApp",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "PurchaseAssemblyTests",
            dependencies: [
                "PurchaseAssembly", "PurchaseSimulation", "PurchaseStorage", "PurchaseCore", "LocalStore",
                "ReceiptVerification", "ReceiptTypes", "SQLite", "DamageSupport", "TimerSupport", "TranscriptSupport",
                "example-app",
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "PurchaseSyncTests",
            dependencies: ["PurchaseSync", "PurchaseStorage", "PurchaseCore", "ReceiptTypes"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "PaywallTests",
            dependencies: [
                "Paywall", "PurchaseSimulation", "PurchaseStorage", "PurchaseVerification", "PurchaseCore",
                "LocalStore", "ReceiptVerification", "ReceiptTypes", "TimerSupport", "TranscriptSupport",
            ],
            swiftSettings: swiftSettings
        ),
        .target(name: "LoopbackClient", path: "Tests/LoopbackClient", swiftSettings: swiftSettings),
        .testTarget(
            name: "PreviewServerTests",
            dependencies: ["PreviewServer", "LoopbackClient", "ReceiptTypes"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "PaywallPreviewToolTests",
            dependencies: [
                "paywall-preview", "CommandLineInterface", "LocalStore", "LoopbackClient", "Paywall", "PurchaseCore",
                "ReceiptTypes", "TranscriptSupport",
            ],
            exclude: ["Transcripts"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "LocalStoreTests",
            dependencies: [
                "LocalStore", "PurchaseCore", "PurchaseVerification", "ReceiptVerification", "ReceiptTestAuthority",
                "ReceiptTypes", "SQLite", "TimerSupport",
            ],
            exclude: ["Fixtures"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "ReceiptVerifyLibraryTests",
            dependencies: ["CReceiptVerify", "ReceiptVerifyLibrary", "TranscriptSupport", "verify-receipt"],
            exclude: ["Programs"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "ReceiptVectorsTests",
            dependencies: ["ReceiptVectors", "ReceiptVerification", "ReceiptTypes"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "DamageSupport", dependencies: ["ReceiptTypes"], path: "Tests/DamageSupport",
            swiftSettings: swiftSettings),
        .target(
            name: "TimerSupport", dependencies: ["PurchaseCore", "ReceiptTypes"], path: "Tests/TimerSupport",
            swiftSettings: swiftSettings),
        .target(
            name: "TranscriptSupport",
            dependencies: ["CommandLineInterface"],
            path: "Tests/TranscriptSupport",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "CommandLineInterfaceTests",
            dependencies: ["CommandLineInterface", "TranscriptSupport"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "VerifyReceiptTests",
            dependencies: [
                "verify-receipt", "CommandLineInterface", "ReceiptTestAuthority", "ReceiptVerification", "ReceiptTypes",
                "TranscriptSupport",
            ],
            exclude: ["Transcripts", "Client"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "LocalStoreToolTests",
            dependencies: ["local-store", "verify-receipt", "CommandLineInterface", "TranscriptSupport"],
            exclude: ["Transcripts", "Samples"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "PurchasesToolTests",
            dependencies: [
                "purchases", "verify-receipt", "example-app", "CommandLineInterface", "PurchaseAssembly",
                "PurchaseSimulation", "PurchaseStorage", "PurchaseCore", "LocalStore", "ReceiptVerification",
                "ReceiptTypes", "SQLite", "TimerSupport", "TranscriptSupport", "storage-worker",
            ],
            exclude: ["Transcripts"],
            swiftSettings: swiftSettings
        ),
    ]
)
