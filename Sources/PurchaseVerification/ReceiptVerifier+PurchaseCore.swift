public import PurchaseCore
public import ReceiptVerification

/// The toolkit's verifier judges what the purchase core is handed.
///
/// This stands in a target of its own, because the core has no system library in its closure and the verifier has two.
extension ReceiptVerifier: TransactionVerifying {}
