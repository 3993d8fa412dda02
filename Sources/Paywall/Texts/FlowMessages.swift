// The words of an open paywall, after a purchase and after a restore.

enum FlowMessage: String, CustomerMessage {
    case purchased = "flow.purchased"
    case restored = "flow.restored"
    case alreadyRestored = "flow.already-restored"
    case nothingToRestore = "flow.nothing-to-restore"
    case notActive = "flow.not-active"
    case notActiveNext = "flow.not-active.next"
    case awaitingApproval = "flow.awaiting-approval"
    case changesAtRenewal = "flow.changes-at-renewal"
    case noAnswer = "flow.no-answer"
    case awaitingSignIn = "flow.awaiting-sign-in"

    var texts: [String] {
        switch self {
        case .purchased: ["Thank you. It is unlocked now.", "ありがとうございます。ご利用いただけるようになりました。", "谢谢，现在可以使用了。"]
        case .restored: ["Your purchase is restored.", "購入が復元されました。", "您的购买已恢复。"]
        case .alreadyRestored:
            [
                "Your purchases were restored before. They do not include this.", "購入は復元済みですが、この内容は含まれていません。",
                "您的购买此前已恢复，但不包含此内容。",
            ]
        case .nothingToRestore: ["There is nothing to restore.", "復元できる購入はありません。", "没有可恢复的购买。"]
        // The English text is the one of the source document, which says "subscription" for every product.
        case .notActive: ["Subscription not active yet.", "サブスクリプションはまだ有効になっていません。", "订阅尚未生效。"]
        case .notActiveNext:
            [
                "Do not buy it again. If it does not become active, contact support.",
                "もう一度購入する必要はありません。有効にならない場合は、サポートにお問い合わせください。", "无需重复购买。如一直未生效，请联系客服。",
            ]
        case .awaitingApproval:
            [
                "The purchase awaits an approval. It is unlocked as soon as it is approved.",
                "購入は承認待ちです。承認されるとご利用いただけます。", "此次购买正在等待批准，批准后即可使用。",
            ]
        case .changesAtRenewal:
            ["The plan changes with the next renewal.", "プランは次回の更新時に変更されます。", "方案将在下次续订时更改。"]
        case .noAnswer:
            [
                "The store has not answered. If you have paid, the purchase is unlocked as soon as it arrives.",
                "ストアから応答がありません。お支払い済みの場合は、購入が届き次第ご利用いただけます。", "商店没有响应。如果您已付款，购买到达后即可使用。",
            ]
        case .awaitingSignIn:
            [
                "The purchase is unlocked when its buyer signs in again.", "購入した方が再度サインインするとご利用いただけます。",
                "购买者重新登录后即可使用。",
            ]
        }
    }
}
