import Foundation
import PurchaseCore
import ReceiptTypes
import Testing

@Suite("StoreKit")
struct StoreKitTests {
    @Test("[PSE-3] the StoreKit adapters compile without warnings against a stub of StoreKit's interface")
    func compiles() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "storekit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stub = try PackageFolder.run([
            "swiftc", "-emit-module", "-module-name", "StoreKit", "-parse-as-library", "-swift-version", "6",
            "-enable-library-evolution", "-suppress-warnings", "-emit-module-path",
            folder.appending(path: "StoreKit.swiftmodule").path(), "Tools/storekit-stub/StoreKit.swift",
        ])
        try #require(stub.status == 0, "\(stub.errors)")
        let features = [
            "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
        ].flatMap { ["-enable-upcoming-feature", $0] }
        let sources = try PackageFolder.swiftFiles(in: "Sources/PurchaseCore").map(\.path)
        let core = try PackageFolder.run(
            [
                "swiftc", "-typecheck", "-module-name", "PurchaseCore", "-parse-as-library", "-swift-version", "6",
                "-strict-memory-safety", "-warnings-as-errors", "-package-name", packageIdentity,
                "-I", folder.path(), "-I", PackageFolder.modules.path(),
            ] + features + sources)
        #expect(core.status == 0, "\(core.errors)")
        #expect(core.errors.isEmpty)
    }

    /// The package's identity, which the package manager derives from the folder's name.
    private var packageIdentity: String {
        String(
            PackageFolder.root.lastPathComponent.lowercased().map {
                $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_"
            })
    }

    #if !canImport(StoreKit)
        @Test("[PSE-3] without StoreKit there are no products, and a purchase fails as unsupported")
        func fallback() async throws {
            let service = StoreKitPurchaseService()
            #expect(try await service.products(for: ["pro.yearly"]).isEmpty)
            guard case .failed(let error) = await service.purchase(productID: "pro.yearly") else {
                Issue.record("the purchase did not fail")
                return
            }
            #expect((error as? StoreError)?.code == .unsupported)
            #expect(await service.currentEntitlements().isEmpty)
            await service.listenForTransactions { _ in Issue.record("the handler was called") }.value
        }
    #endif
}
