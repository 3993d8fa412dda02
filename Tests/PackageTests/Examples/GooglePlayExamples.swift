import PurchaseCore
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification

/// `SellingOnGooglePlay.md` of PurchaseCore.
private func sellingOnGooglePlay(
    _ playStore: any Store, _ ledger: any PurchaseLedger, _ policy: VerificationPolicy, _ playKeys: PlayKeyring,
    _ environment: PurchaseEnvironment
) -> PurchaseService {
    let products = [
        PlayProduct(id: "com.example.coins", type: .consumable),
        PlayProduct(subscription: "com.example.pro.yearly", period: .year, groupID: "pro"),
    ]
    let verifier = PlayReceiptVerifier(ReceiptVerifier(policy: policy, playKeys: playKeys), products: products)
    let service = PurchaseService(store: playStore, ledger: ledger, verifier: verifier, environment: environment)
    return service
}

/// `SellingOnGooglePlay.md` of PurchaseCore, changes of plan.
private func changingThePlan(_ service: PurchaseService) async {
    switch await service.purchase(productID: "com.example.pro.monthly") {
    case .deferred(.changesAtRenewal(let productID, let date)):
        print("Your plan changes to \(productID) on \(date.map { "\($0)" } ?? "the next renewal")")
    case let result:
        print(PurchaseResultMapping.outcome(of: result))
    }
}
