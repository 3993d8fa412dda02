// The words of an open paywall, after a purchase and after a restore.

enum FlowMessage: String, CustomerMessage {
    case purchased = "flow.purchased"
    case confirmed = "flow.confirmed"
    case confirmedNext = "flow.confirmed.next"
    case restored = "flow.restored"
    case unlocked = "flow.unlocked"
    case notIncluded = "flow.not-included"
    case notActive = "flow.not-active"
    case notActiveNext = "flow.not-active.next"
    case notUnlocked = "flow.not-unlocked"
    case notUnlockedNext = "flow.not-unlocked.next"
    case notOwned = "flow.not-owned"
    case notOwnedNext = "flow.not-owned.next"
    case awaitingApproval = "flow.awaiting-approval"
    case awaitingApprovalNext = "flow.awaiting-approval.next"
    case stillAwaitingApproval = "flow.still-awaiting-approval"
    case stillAwaitingApprovalNext = "flow.still-awaiting-approval.next"
    case stopWaiting = "flow.stop-waiting"
    case tryAgain = "flow.try-again"
    case changesAtRenewal = "flow.changes-at-renewal"
    case changesOn = "flow.changes-on"
    case offerAtRenewal = "flow.offer-at-renewal"
    case offerOn = "flow.offer-on"
    case renewsAgain = "flow.renews-again"
    case renewsAgainOn = "flow.renews-again-on"
    case noAnswer = "flow.no-answer"
    case noAnswerNext = "flow.no-answer.next"
    case undecided = "flow.undecided"
    case undecidedNext = "flow.undecided.next"
    case awaitingSignIn = "flow.awaiting-sign-in"
    case takingLong = "flow.taking-long"
    case takingLongNext = "flow.taking-long.next"

    var texts: [String] {
        switch self {
        case .purchased: ["Thank you. It is unlocked now.", "ありがとうございます。ご利用いただけるようになりました。", "谢谢，现在可以使用了。"]
        case .confirmed:
            [
                "The store has confirmed the purchase. It is unlocked now.",
                "ストアで購入が確認されました。ご利用いただけるようになりました。", "商店已确认此次购买，现在可以使用了。",
            ]
        case .confirmedNext:
            [
                "The store's first answer could not be verified.", "ストアからの最初の応答は検証できませんでした。", "商店的首次响应未能通过验证。",
            ]
        case .restored: ["Your purchase is restored.", "購入が復元されました。", "您的购买已恢复。"]
        case .unlocked: ["It is unlocked now.", "ご利用いただけるようになりました。", "现在可以使用了。"]
        case .notIncluded:
            ["What you selected is not among your purchases.", "選択した内容は購入に含まれていません。", "您的购买不包含所选内容。"]
        // The English text is the one of the source document, for subscriptions.
        case .notActive: ["Subscription not active yet.", "サブスクリプションはまだ有効になっていません。", "订阅尚未生效。"]
        case .notUnlocked: ["The purchase is not unlocked yet.", "購入した内容はまだご利用いただけません。", "购买的内容尚未解锁。"]
        case .notActiveNext, .notUnlockedNext:
            [
                "Do not buy it again. Wait a moment, then restore purchases. If that does not help, contact support.",
                "もう一度購入する必要はありません。しばらく待ってから購入を復元してください。解決しない場合は、サポートにお問い合わせください。",
                "无需重复购买。请稍候，然后恢复购买。如仍未解决，请联系客服。",
            ]
        case .notOwned:
            [
                "The store has this purchase already. You have not been charged.",
                "この商品はストアで購入済みです。料金は請求されていません。", "商店已有此购买。您未被扣款。",
            ]
        case .notOwnedNext: ["Restore purchases to use it.", "利用するには、購入を復元してください。", "如需使用，请恢复购买。"]
        case .awaitingApproval:
            ["The purchase is waiting for approval.", "購入は承認待ちです。", "此次购买正在等待批准。"]
        // A store never reports a decline, and the purchase service stops waiting after a day.
        case .awaitingApprovalNext:
            [
                "If it is approved, it is unlocked. The store does not tell the app if it is declined: if nothing has "
                    + "changed after one day, you can buy it again.",
                "承認されるとご利用いただけます。承認されなかった場合、ストアからアプリへの通知はありません。1日たっても変わらないときは、もう一度購入できます。",
                "如获批准，即可使用。如被拒绝，商店不会通知应用；一天后仍无变化时，您可以再次购买。",
            ]
        case .stillAwaitingApproval:
            [
                "Your last purchase of this is still waiting for approval.", "前回の購入は、まだ承認待ちです。", "您上次的购买仍在等待批准。",
            ]
        case .stillAwaitingApprovalNext:
            [
                "If it was declined, stop waiting, and you can buy it again. If it is approved after that, you have "
                    + "bought it.",
                "承認されなかった場合は、承認待ちをやめると、もう一度購入できます。その後に承認されると、購入が成立します。",
                "如已被拒绝，您可以停止等待，然后再次购买。如果之后获得批准，则购买成立。",
            ]
        case .stopWaiting: ["Stop waiting", "承認待ちをやめる", "停止等待"]
        case .tryAgain: ["Try again", "もう一度試す", "重试"]
        case .changesAtRenewal:
            ["The plan changes with the next renewal.", "プランは次回の更新時に変更されます。", "方案将在下次续订时更改。"]
        case .changesOn: ["The plan changes on {date}.", "プランは{date}に変更されます。", "方案将于 {date} 更改。"]
        case .offerAtRenewal:
            ["The offer begins with the next renewal.", "特典は次回の更新時に適用されます。", "优惠将从下次续订时开始。"]
        case .offerOn: ["The offer begins on {date}.", "特典は{date}から適用されます。", "优惠将于 {date} 开始。"]
        case .renewsAgain:
            ["Your subscription renews automatically again.", "サブスクリプションの自動更新が再開されました。", "您的订阅已恢复自动续订。"]
        case .renewsAgainOn:
            [
                "Your subscription renews automatically again, next on {date}.",
                "サブスクリプションの自動更新が再開されました。次回の更新日は{date}です。", "您的订阅已恢复自动续订，下次续订日期为 {date}。",
            ]
        case .noAnswer:
            [
                "The store has not answered. If you have paid, the purchase is unlocked as soon as it arrives.",
                "ストアから応答がありません。お支払い済みの場合は、購入が届き次第ご利用いただけます。", "商店没有响应。如果您已付款，购买到达后即可使用。",
            ]
        case .undecided:
            [
                "It is not known yet whether your last purchase was made.", "前回の購入が完了したかどうか、まだ確認できていません。",
                "尚不确定您上次的购买是否已完成。",
            ]
        case .noAnswerNext, .undecidedNext:
            [
                "Wait a moment, then restore purchases. If that does not help, contact support. Do not buy it again.",
                "しばらく待ってから購入を復元してください。解決しない場合は、サポートにお問い合わせください。もう一度購入する必要はありません。",
                "请稍候，然后恢复购买。如仍未解决，请联系客服。无需重复购买。",
            ]
        case .awaitingSignIn:
            [
                "The purchase is unlocked when its buyer signs in again.", "購入した方が再度サインインするとご利用いただけます。",
                "购买者重新登录后即可使用。",
            ]
        case .takingLong:
            ["The store is taking longer than usual.", "ストアの応答に時間がかかっています。", "商店的响应时间比平时长。"]
        case .takingLongNext:
            [
                "You do not have to wait here. A purchase is unlocked as soon as it arrives.",
                "このままお待ちいただく必要はありません。購入が届き次第ご利用いただけます。", "您无需在此等待，购买到达后即可使用。",
            ]
        }
    }
}
