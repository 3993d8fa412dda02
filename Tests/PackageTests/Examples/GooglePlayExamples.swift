import PurchaseCore
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification

/// `SellingOnGooglePlay.md` of PurchaseCore.
private func sellingOnGooglePlay(
    _ playStore: any Store, _ journal: any PurchaseJournal, _ policy: VerificationPolicy, _ playKeys: PlayKeyring,
    _ clock: @escaping @Sendable () -> Timestamp
) -> PurchaseService {
    let products = [
        PlayProduct(id: "com.example.coins", type: .consumable),
        PlayProduct(subscription: "com.example.pro.yearly", period: .year, groupID: "pro"),
    ]
    let verifier = PlayReceiptVerifier(ReceiptVerifier(policy: policy, playKeys: playKeys), products: products)
    let service = PurchaseService(store: playStore, journal: journal, verifier: verifier, clock: clock)
    return service
}
