import Foundation
import PurchaseCore
import ReceiptTypes
import Testing

@Suite("StoreKit")
struct StoreKitTests {
    @Test("[PSE-3] the adapters compile without a warning against StoreKit's interface as Apple documents it")
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

    /// The package manager names a package after its folder.
    private var packageIdentity: String {
        String(
            PackageFolder.root.lastPathComponent.lowercased().map {
                $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_"
            })
    }

    #if !canImport(StoreKit)
        @Test("[PSE-3] where there is no StoreKit there are no products, and a purchase fails and says why")
        func fallback() async throws {
            let service = StoreKitPurchaseService()
            #expect(try await service.products(for: ["pro.yearly"]).isEmpty)
            guard case .failed(let error) = await service.purchase(productID: "pro.yearly") else {
                Issue.record("not failed")
                return
            }
            #expect((error as? StoreError)?.code == .unsupported)
            #expect(await service.currentEntitlements().isEmpty)
            await service.listenForTransactions { _ in Issue.record("nothing can come") }.value
        }
    #endif
}
