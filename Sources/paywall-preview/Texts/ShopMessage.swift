internal import Paywall
internal import PurchaseCore

/// The words of the shop's own pages: English, Japanese, Simplified Chinese, as in `MessageCatalog.standardLanguages`.
enum ShopMessage: String, CaseIterable {
    /// The BCP 47 tag of the language that the page is in.
    case languageTag
    case shop, account, skip, close, tryAgain, contactSupport, loading, preview
    case features, free, premium, locked, unlocked, notKnown, unlock, writing, search
    case plans, extras, balance, waiting, waitingNext, forget, notComplete, doNotBuyAgain
    case unlockFeature, choosePlan, includes, bestValue, notNow, onePlan
    case noOffer, haveEverything, purchasesOff, purchasesUnknown, bought, owned
    case confirmTitle, confirmNote, confirm, cancel
    case subscription, changePlan, manage, manageTitle, manageNote, turnRenewalOn, turnRenewalOff, updatePayment
    case purchases, details, buyAgain, restoreTitle, dismiss
    case terms, privacy, termsText, privacyText

    var key: MessageKey { MessageKey(rawValue: "shop.\(rawValue)") }

    var texts: [String] {
        switch self {
        case .languageTag: MessageCatalog.standardLanguages
        case .shop: ["Shop", "ショップ", "商店"]
        case .account: ["Account", "アカウント", "账户"]
        case .skip: ["Skip to the content", "本文へ移動", "跳到正文"]
        case .close: ["Close", "閉じる", "关闭"]
        case .tryAgain: ["Try again", "もう一度試す", "重试"]
        case .contactSupport: ["Contact support", "サポートに問い合わせる", "联系客服"]
        case .loading: ["Loading…", "読み込み中…", "正在加载…"]
        case .preview:
            [
                "A preview with a simulated store. Nothing is charged.", "シミュレーションのストアです。実際の請求は発生しません。",
                "这是使用模拟商店的预览，不会产生费用。",
            ]
        case .features: ["Features", "機能", "功能"]
        case .free: ["Free", "無料", "免费"]
        case .premium: ["Premium", "プレミアム", "高级"]
        case .locked: ["Locked", "ロック中", "已锁定"]
        case .unlocked: ["Unlocked", "利用可能", "已解锁"]
        case .notKnown: ["Not known yet", "未確認", "尚未确认"]
        case .unlock: ["Unlock", "ロックを解除", "解锁"]
        case .writing: ["Write notes", "メモを書く", "写笔记"]
        case .search: ["Search notes", "メモを検索", "搜索笔记"]
        case .plans: ["See all plans", "すべてのプランを見る", "查看所有方案"]
        case .extras: ["More to buy", "その他の商品", "更多商品"]
        case .balance: ["You have {count}.", "所持数：{count}", "您有 {count} 个"]
        case .notComplete: ["The purchase is not complete yet.", "購入はまだ完了していません。", "购买尚未完成。"]
        case .doNotBuyAgain:
            [
                "The store may have sold it. Wait a moment or restore purchases. Do not buy it again.",
                "ストアでの購入は完了している可能性があります。しばらく待つか、購入を復元してください。もう一度購入しないでください。",
                "商店可能已完成销售。请稍候或恢复购买，不要重复购买。",
            ]
        case .waiting: ["{product} is waiting for approval.", "{product}は承認待ちです。", "{product} 正在等待批准。"]
        case .waitingNext:
            [
                "If it is approved, it is unlocked. The store does not tell the app if it is declined: in that case, "
                    + "stop waiting, and you can buy it again. Without an approval, the wait ends on {date}.",
                "承認されるとご利用いただけます。承認されなかった場合、ストアからアプリへの通知はありません。その場合は承認待ちをやめると、"
                    + "もう一度購入できます。承認がなければ、{date}に承認待ちは終了します。",
                "如获批准，即可使用。如被拒绝，商店不会通知应用：您可以停止等待，然后再次购买。如一直未获批准，等待将于 {date} 结束。",
            ]
        case .forget: ["Stop waiting for {product}", "{product}の承認待ちをやめる", "不再等待 {product}"]
        case .unlockFeature: ["Unlock {feature}", "{feature}のロックを解除", "解锁 {feature}"]
        case .choosePlan: ["Choose a plan", "プランを選択", "选择方案"]
        case .includes: ["Includes", "含まれる機能", "包含功能"]
        case .bestValue: ["Best value", "一番お得", "最超值"]
        case .notNow: ["Not now", "今はしない", "暂不购买"]
        case .onePlan: ["Plans", "プラン", "方案"]
        case .noOffer: ["There is no offer at the moment.", "現在、ご利用いただけるプランはありません。", "目前没有可用的方案。"]
        case .haveEverything: ["You already have this.", "すでにご利用いただけます。", "您已可以使用。"]
        case .purchasesOff: ["Purchases are switched off.", "現在、購入は停止されています。", "目前无法购买。"]
        case .purchasesUnknown:
            [
                "Your purchases could not be loaded. Try again later.",
                "購入履歴を読み込めませんでした。後でもう一度お試しください。", "无法加载您的购买记录，请稍后重试。",
            ]
        case .bought: ["Thank you. You have {product} now.", "ありがとうございます。{product}を購入しました。", "谢谢，您已购买 {product}。"]
        case .owned: ["You have this already. Nothing was bought.", "すでに購入済みです。今回は購入されていません。", "您已拥有此项目，本次未购买。"]
        case .confirmTitle: ["Confirm the purchase", "購入の確認", "确认购买"]
        case .confirmNote:
            [
                "This is the payment sheet of the simulated store. Nothing is charged.",
                "シミュレーションの支払い画面です。実際の請求は発生しません。", "这是模拟商店的付款界面，不会产生费用。",
            ]
        case .confirm: ["Buy", "購入する", "购买"]
        case .cancel: ["Cancel", "キャンセル", "取消"]
        case .subscription: ["Your subscription", "ご利用中のサブスクリプション", "您的订阅"]
        case .changePlan: ["Change plan", "プランを変更", "更换方案"]
        case .manage: ["Manage", "管理", "管理"]
        case .manageTitle: ["Manage the subscription", "サブスクリプションの管理", "管理订阅"]
        case .manageNote:
            [
                "This is the sheet of the simulated store, in which the customer manages a subscription.",
                "サブスクリプションを管理する、シミュレーションのストアの画面です。", "这是模拟商店中管理订阅的界面。",
            ]
        case .turnRenewalOn: ["Renew automatically", "自動更新をオンにする", "开启自动续订"]
        case .turnRenewalOff: ["Cancel the subscription", "サブスクリプションを解約する", "取消订阅"]
        case .updatePayment: ["Update the payment method", "お支払い方法を更新する", "更新付款方式"]
        case .purchases: ["Purchases", "購入履歴", "购买记录"]
        case .details: ["Details", "詳細", "详情"]
        case .buyAgain: ["Buy again", "もう一度購入", "再次购买"]
        case .restoreTitle: ["Restore", "購入の復元", "恢复购买"]
        case .dismiss: ["Dismiss", "表示を消す", "关闭提示"]
        case .terms: ["Terms of use", "利用規約", "使用条款"]
        case .privacy: ["Privacy policy", "プライバシーポリシー", "隐私政策"]
        case .termsText:
            ["An app shows its terms of use here.", "アプリではここに利用規約が表示されます。", "应用在此处显示其使用条款。"]
        case .privacyText:
            ["An app shows its privacy policy here.", "アプリではここにプライバシーポリシーが表示されます。", "应用在此处显示其隐私政策。"]
        }
    }
}

/// Every text of the shop in the customer's language.
struct ShopTexts: Sendable {
    /// The customer's languages as BCP 47 tags.
    let languages: [String]
    /// The texts of the core, of the screens and of the shop.
    let catalog: MessageCatalog
    let paywall: PaywallTexts

    init(languages: [String]) {
        let own = ShopMessage.allCases.map { message in
            (
                message.key.rawValue,
                Dictionary(uniqueKeysWithValues: zip(MessageCatalog.standardLanguages, message.texts))
            )
        }
        self.languages = languages
        catalog = .paywall.merging(MessageCatalog(Dictionary(uniqueKeysWithValues: own)))
        paywall = PaywallTexts(languages: languages, catalog: catalog)
    }

    /// The BCP 47 tag of the language of the texts, which is English where the catalog lacks the customer's languages.
    var tag: String { self[.languageTag] }

    /// Whether the texts are in the language of a tag; its script and its region may differ.
    func has(_ language: String) -> Bool {
        func name(_ tag: String) -> String { String(tag.lowercased().prefix { !"-_.@".contains($0) }) }
        return name(language) == name(tag)
    }

    subscript(message: ShopMessage, values: [String: String] = [:]) -> String { self[message.key, values] }

    subscript(key: MessageKey, values: [String: String] = [:]) -> String {
        catalog.text(key, languages: languages, values: values) ?? key.rawValue
    }

    func words(of error: PurchaseError) -> UserMessage { error.userMessage(languages: languages, catalog: catalog) }
}
