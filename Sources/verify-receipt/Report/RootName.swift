internal import ReceiptVerification

/// Names the root that a verified receipt's chain ends at.
enum RootName {
    /// The trusted root that the receipt brought, or whose name it brought: which of these it may be was judged before.
    static func of(_ input: ReceiptInput, among anchors: TrustAnchors) -> String? {
        guard case .jws(let text) = input, let receipt = UntrustedReceipt(decoding: text),
            let last = receipt.certificates.last?.certificate
        else { return nil }
        let anchor =
            anchors.anchors.first { $0.fingerprint == last.fingerprint }
            ?? anchors.anchors.first { $0.subject == last.subject }
        return anchor.map(\.subject)
    }
}
