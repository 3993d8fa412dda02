// The words of the purchase history and of a purchase's details.

/// The sections of the history, and the states of a purchase.
enum PurchaseMessage: String, CustomerMessage {
    case sectionActive = "history.active"
    case sectionFamily = "history.family"
    case sectionInactive = "history.inactive"
    case sectionRefunded = "history.refunded"
    case empty = "history.empty"
    case active = "state.active"
    case activeUntil = "state.active-until"
    case renews = "state.renews"
    case renewsOn = "state.renews-on"
    case changes = "state.changes"
    case changesOn = "state.changes-on"
    case unconfirmed = "state.unconfirmed"
    case paymentFailed = "state.payment-failed"
    case paymentFailedUntil = "state.payment-failed-until"
    case bought = "state.bought"
    case partlyRefunded = "state.partly-refunded"
    case partlyRefundedItem = "state.partly-refunded-item"
    case earlierPeriod = "state.earlier-period"
    case ended = "state.ended"
    case endedOn = "state.ended-on"
    case replaced = "state.replaced"
    case refunded = "state.refunded"
    case refundedOn = "state.refunded-on"
    case notShared = "state.not-shared"
    case notListed = "state.not-listed"
    case needsStore = "state.needs-store"
    case unverified = "state.unverified"
    case notChecked = "state.not-checked"

    var texts: [String] {
        switch self {
        case .sectionActive: ["Active", "有効", "有效"]
        case .sectionFamily: ["Shared by your family", "ファミリー共有", "家人共享"]
        case .sectionInactive: ["Past purchases", "過去の購入", "过往购买"]
        case .sectionRefunded: ["Refunded", "返金済み", "已退款"]
        case .empty: ["There are no purchases yet.", "購入履歴はまだありません。", "暂无购买记录。"]
        case .active: ["Active", "有効", "有效"]
        case .activeUntil: ["Active until {date}", "{date}まで有効", "有效期至 {date}"]
        case .renews: ["Active, renews automatically", "有効（自動更新）", "有效，自动续订"]
        case .renewsOn: ["Renews on {date}", "{date}に更新", "将于 {date} 续订"]
        case .changes: ["Changes to {product} at the next renewal", "次回更新時に{product}へ変更", "下次续订时更换为 {product}"]
        case .changesOn: ["Changes to {product} on {date}", "{date}に{product}へ変更", "将于 {date} 更换为 {product}"]
        case .unconfirmed:
            [
                "Active. The store does not list it at the moment: sign in to the store, or restore purchases.",
                "有効。現在ストアで確認できません。ストアにサインインするか、購入を復元してください。", "有效。商店目前未列出此购买：请登录商店或恢复购买。",
            ]
        case .paymentFailed:
            [
                "The payment failed. Update the payment method in the settings of the store account.",
                "お支払いに失敗しました。ストアのアカウント設定でお支払い方法を更新してください。", "付款失败。请在商店账户设置中更新付款方式。",
            ]
        case .paymentFailedUntil:
            [
                "The payment failed. Update the payment method by {date} to keep access.",
                "お支払いに失敗しました。引き続き利用するには、{date}までにお支払い方法を更新してください。", "付款失败。如需继续使用，请在 {date} 前更新付款方式。",
            ]
        case .bought: ["Purchased", "購入済み", "已购买"]
        case .partlyRefunded:
            [
                "Refunded in part: {remaining} of {quantity} left", "一部返金済み（{quantity}個中{remaining}個が残っています）",
                "部分已退款：{quantity} 件中剩余 {remaining} 件",
            ]
        case .partlyRefundedItem: ["Refunded in part", "一部返金済み", "部分已退款"]
        case .earlierPeriod: ["Earlier period", "以前の期間", "先前的周期"]
        case .ended: ["Ended", "終了", "已结束"]
        case .endedOn: ["Ended on {date}", "{date}に終了", "已于 {date} 结束"]
        case .replaced: ["Replaced by another plan", "別のプランに変更済み", "已更换为其他方案"]
        case .refunded: ["Refunded or cancelled", "返金または取り消し済み", "已退款或取消"]
        case .refundedOn: ["Refunded on {date}", "{date}に返金済み", "已于 {date} 退款"]
        case .notShared: ["No longer shared with you", "共有は終了しました", "已停止与您共享"]
        case .notListed:
            ["The store no longer lists this purchase.", "この購入はストアで確認できなくなりました。", "商店已不再列出此购买。"]
        case .needsStore:
            [
                "The store has not confirmed this purchase for a long time. Connect to the internet to use it again.",
                "この購入は長い間ストアで確認されていません。再び利用するには、インターネットに接続してください。", "此购买已长时间未经商店确认。请连接互联网以继续使用。",
            ]
        case .unverified:
            [
                "The signature of this purchase is not valid. Contact support.",
                "この購入の署名を検証できません。サポートにお問い合わせください。", "此购买的签名无效。请联系客服。",
            ]
        case .notChecked: ["Not checked yet", "未確認", "尚未核实"]
        }
    }
}

/// The labels and values of a purchase's details.
enum DetailMessage: String, CustomerMessage {
    case labelProduct = "detail.product"
    case labelKind = "detail.kind"
    case labelState = "detail.state"
    case labelPurchased = "detail.purchased"
    case labelPrice = "detail.price"
    case labelQuantity = "detail.quantity"
    case labelPeriodEnds = "detail.period-ends"
    case labelOwnership = "detail.ownership"
    case labelRefunded = "detail.refunded"
    case labelRefundReason = "detail.refund-reason"
    case labelVerification = "detail.verification"
    case labelTransaction = "detail.transaction"
    case labelOriginalTransaction = "detail.original-transaction"
    case labelOrder = "detail.order"
    case labelStore = "detail.store"
    case owned = "ownership.purchased"
    case shared = "ownership.family-shared"
    case reasonIssue = "refund-reason.issue"
    case reasonOther = "refund-reason.other"
    case verified = "verification.verified"
    case unverified = "verification.unverified"
    case contactSupport = "link.contact-support"

    var texts: [String] {
        switch self {
        case .labelProduct: ["Product", "商品", "商品"]
        case .labelKind: ["Kind", "種類", "类型"]
        case .labelState: ["State", "状態", "状态"]
        case .labelPurchased: ["Purchased on", "購入日", "购买日期"]
        case .labelPrice: ["Price paid", "支払い金額", "支付金额"]
        case .labelQuantity: ["Quantity", "数量", "数量"]
        case .labelPeriodEnds: ["Period ends", "期間の終了日", "周期结束"]
        case .labelOwnership: ["Ownership", "所有", "所有权"]
        case .labelRefunded: ["Refunded on", "返金日", "退款日期"]
        case .labelRefundReason: ["Reason of the refund", "返金の理由", "退款原因"]
        case .labelVerification: ["Signature", "署名", "签名"]
        case .labelTransaction: ["Transaction", "取引ID", "交易编号"]
        case .labelOriginalTransaction: ["First transaction", "最初の取引ID", "首次交易编号"]
        case .labelOrder: ["Order", "注文番号", "订单编号"]
        case .labelStore: ["Store", "ストア", "商店"]
        case .owned: ["Bought by you", "ご自身の購入", "由您购买"]
        case .shared: ["Shared by your family", "ファミリー共有", "家人共享"]
        case .reasonIssue: ["A problem with the app", "アプリの問題", "应用存在问题"]
        case .reasonOther: ["Other", "その他", "其他"]
        case .verified: ["Verified", "検証済み", "已验证"]
        case .unverified: ["Not valid", "無効", "无效"]
        case .contactSupport: ["Contact support", "サポートに問い合わせる", "联系客服"]
        }
    }
}
