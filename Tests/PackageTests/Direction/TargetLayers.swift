/// The folders of each target from the bottom to the top: a file uses its own folder and those before it.
///
/// Files that stand beside the folders belong to the last layer.
enum TargetLayers {
    static let table: [String: [String]] = [
        "ReceiptTypes": ["JSON", "Values", "Model", "Enumerations", "Payloads", "Verdict", "Endpoint"],
        "ReceiptVerification": [
            "System", "Encoding", "Crypto", "Policy", "Attributes", "Examination", "JWS", "Unwrapping", "Input",
            "Finding", "Claims",
            "Chain", "KeyCache", "Session", "GooglePlay", "AppStore", "AppReceipt", "API", "Configuration", "Batch",
        ],
        "PurchaseCore": [
            "Values", "Environment", "Transactions", "Catalog", "Store", "Ledger", "Rules", "Records", "Verification",
            "Timing",
            "Pacing", "Messages", "Errors", "Machine", "Service",
            "Synchronization", "Metadata", "Entitlements", "Gating", "Flow", "OneTime",
            "Observability", "StoreKit",
        ],
        "LedgerConformance": ["Samples", "Trial", "History", "Rules"],
        "PurchaseStorage": [
            "Sealing", "SealedStore", "SecretService", "Schema", "Database", "Ledger", "Observability", "Erasure",
            "Products", "Recovery", "Inspection",
        ],
        "Paywall": ["Offers", "Texts", "Screens", "Configuration", "Decisions", "Analytics", "Flow"],
        "PurchaseAssembly": ["Files", "Stack"],
        "PreviewServer": ["Messages", "Events", "Access", "Connections", "Server"],
        "LocalStore": [
            "Storefront", "Configuration", "Lint", "Reading", "State", "Engine", "Signing", "Faults", "Simulator",
        ],
        "CommandLineInterface": ["System", "Text", "Files", "Definition", "Arguments", "Help", "Run"],
        "verify-receipt": ["Arguments", "Schemas", "Input", "Setup", "Batch", "Report", "Page", "Mint", "Commands"],
        "paywall-preview": ["Arguments", "Texts", "Log", "Shop", "Pages", "Serve"],
        "local-store": ["Arguments", "Parsing", "Store", "Report", "Export", "Commands"],
    ]
}
