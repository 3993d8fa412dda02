// The words of prices, lengths of time, and terms.

/// A length of time.
enum LengthMessage: String, CountedMessage {
    case days = "length.days"
    case months = "length.months"
    case years = "length.years"

    func texts(isOne: Bool) -> [String] {
        switch self {
        case .days: [isOne ? "{count} day" : "{count} days", "{count}日間", "{count} 天"]
        case .months: [isOne ? "{count} month" : "{count} months", "{count}か月", "{count} 个月"]
        case .years: [isOne ? "{count} year" : "{count} years", "{count}年", "{count} 年"]
        }
    }
}

/// A price with the time that it pays for.
enum RateMessage: String, CountedMessage {
    case days = "price.days"
    case weeks = "price.weeks"
    case months = "price.months"
    case years = "price.years"

    func texts(isOne: Bool) -> [String] {
        switch self {
        case .days:
            isOne
                ? ["{price} per day", "{price}/日", "{price}/天"]
                : ["{price} every {count} days", "{count}日ごとに{price}", "每 {count} 天 {price}"]
        case .weeks:
            isOne
                ? ["{price} per week", "{price}/週", "{price}/周"]
                : ["{price} every {count} weeks", "{count}週間ごとに{price}", "每 {count} 周 {price}"]
        case .months:
            isOne
                ? ["{price} per month", "{price}/月", "{price}/月"]
                : ["{price} every {count} months", "{count}か月ごとに{price}", "每 {count} 个月 {price}"]
        case .years:
            isOne
                ? ["{price} per year", "{price}/年", "{price}/年"]
                : ["{price} every {count} years", "{count}年ごとに{price}", "每 {count} 年 {price}"]
        }
    }
}

enum PriceMessage: String, CustomerMessage {
    /// A price for a time of several units, such as a year and a half.
    case every = "price.every"
    /// Two lengths that are added.
    case pair = "length.pair"
    /// Two sentences.
    case sentences = "sentences"
    case derivedRounded = "price.derived.rounded"
    case derivedExact = "price.derived.exact"
    case ageUnknown = "price.age.unknown"

    var texts: [String] {
        switch self {
        case .every: ["{price} every {length}", "{length}ごとに{price}", "每 {length} {price}"]
        case .ageUnknown:
            [
                "The prices may have changed. You pay the price that the store shows.",
                "価格は変更されている可能性があります。お支払い額はストアに表示される価格です。", "价格可能已变动。实际以商店显示的价格为准。",
            ]
        case .pair: ["{first} {second}", "{first}{second}", "{first} {second}"]
        case .sentences: ["{first} {second}", "{first}{second}", "{first}{second}"]
        case .derivedRounded: ["about {price}", "約{price}相当", "约合 {price}"]
        case .derivedExact: ["equals {price}", "{price}相当", "相当于 {price}"]
        }
    }
}

enum TermsMessage: String, CustomerMessage {
    case trial = "terms.trial"
    case trialStart = "terms.trial-start"
    case trialEnd = "terms.trial-end"
    case discount = "terms.discount"
    case discountStart = "terms.discount-start"
    case discountEnd = "terms.discount-end"
    case renewal = "terms.renewal"
    case once = "terms.once"
    case limited = "terms.limited"
    case limitedWithoutLength = "terms.limited-without-length"
    case trialRenews = "trial.renews"
    case trialRenewsAtRegularPrice = "trial.renews-at-regular-price"
    case trialRenewsAtHigherPrice = "trial.renews-at-higher-price"
    case trialNeedsConsent = "trial.needs-consent"
    case trialNeedsConsentToPrice = "trial.needs-consent-to-price"
    case trialEnds = "trial.ends"
    case linkTerms = "link.terms"
    case linkPrivacy = "link.privacy"
    case restore = "link.restore"

    var texts: [String] {
        switch self {
        case .trial: ["{length} free, then {price}", "{length}無料、その後は{price}", "免费试用 {length}，之后 {price}"]
        case .trialStart: ["Nothing is charged now.", "お申し込み時の請求はありません。", "现在不会扣费。"]
        case .trialEnd:
            [
                "The free trial ends after {length}. You are then charged {price}, unless you cancel at least 24 hours "
                    + "before.",
                "無料トライアルは{length}で終了します。終了の24時間前までに解約しない場合、{price}の料金が発生します。",
                "免费试用在 {length}后结束。如未在结束前至少 24 小时取消，将按 {price} 扣费。",
            ]
        case .discount:
            [
                "{offer} for {length}, then {price}", "最初の{length}は{offer}、その後は{price}",
                "前 {length} {offer}，之后 {price}",
            ]
        case .discountStart:
            ["You are charged {amount} now.", "お申し込み時に{amount}が請求されます。", "现在扣费 {amount}。"]
        case .discountEnd:
            [
                "The reduced price ends after {length}. You are then charged {price}, unless you cancel at least 24 "
                    + "hours before.",
                "割引価格は{length}で終了します。終了の24時間前までに解約しない場合、{price}の料金が発生します。",
                "优惠价格在 {length}后结束。如未在结束前至少 24 小时取消，将按 {price} 扣费。",
            ]
        case .renewal:
            [
                "Renews automatically for {price} until you cancel. To avoid the next charge, cancel in the settings "
                    + "of your store account at least 24 hours before the period ends.",
                "解約するまで、{price}で自動更新されます。次回の請求を避けるには、期間終了の24時間前までにストアのアカウント設定で解約してください。",
                "在您取消之前，将按 {price} 自动续订。如需避免下次扣费，请在周期结束前至少 24 小时在商店账户设置中取消。",
            ]
        case .once: ["You pay once. Nothing renews.", "お支払いは1回のみで、自動更新はありません。", "只需付款一次，不会自动续订。"]
        case .limited:
            [
                "You pay once for {length}. Nothing renews.", "{length}分を1回でお支払いいただきます。自動更新はありません。",
                "一次付款，有效期 {length}，不会自动续订。",
            ]
        case .limitedWithoutLength:
            [
                "You pay once. Access ends by itself, and nothing renews.",
                "お支払いは1回のみです。期間が終わると利用も終了し、自動更新はありません。", "只需付款一次，到期自动结束，不会自动续订。",
            ]
        case .trialRenews:
            ["On {date} it renews for {price}.", "{date}に{price}で更新されます。", "将于 {date} 按 {price} 续订。"]
        case .trialRenewsAtRegularPrice:
            ["On {date} it renews at the regular price.", "{date}に通常価格で更新されます。", "将于 {date} 按原价续订。"]
        case .trialRenewsAtHigherPrice:
            ["On {date} it renews at a higher price.", "{date}に値上げ後の価格で更新されます。", "将于 {date} 按上调后的价格续订。"]
        case .trialNeedsConsent:
            [
                "On {date} it renews only if you have agreed to the higher price.",
                "値上げに同意した場合にのみ、{date}に更新されます。", "仅在您同意涨价后，才会于 {date} 续订。",
            ]
        case .trialNeedsConsentToPrice:
            [
                "On {date} it renews for {price}, but only if you have agreed to this price.",
                "この価格に同意した場合にのみ、{date}に{price}で更新されます。", "仅在您同意此价格后，才会于 {date} 按 {price} 续订。",
            ]
        case .trialEnds:
            [
                "It does not renew. Access ends on {date}.", "自動更新されません。{date}に利用が終了します。",
                "不会自动续订，将于 {date} 结束。",
            ]
        case .linkTerms: ["Terms of use", "利用規約", "使用条款"]
        case .linkPrivacy: ["Privacy policy", "プライバシーポリシー", "隐私政策"]
        case .restore: ["Restore purchases", "購入を復元", "恢复购买"]
        }
    }
}

enum TrialMessage: String, CountedMessage {
    case daysLeft = "trial.days-left"

    func texts(isOne: Bool) -> [String] {
        [
            isOne ? "{count} day left in the free trial." : "{count} days left in the free trial.",
            "無料トライアルは残り{count}日です。", "免费试用还剩 {count} 天。",
        ]
    }
}

/// The words of a product card.
enum CardMessage: String, CustomerMessage {
    case oneTime = "kind.one-time"
    case consumable = "kind.consumable"
    case subscription = "kind.subscription"
    case limited = "kind.limited"
    case other = "kind.other"
    case buy = "button.buy"
    case subscribe = "button.subscribe"
    case startTrial = "button.start-trial"
    case buying = "button.buying"
    case owned = "button.owned"
    case awaitingApproval = "button.awaiting-approval"
    case unavailable = "button.unavailable"

    var texts: [String] {
        switch self {
        case .oneTime: ["One-time purchase", "買い切り", "一次性购买"]
        case .consumable: ["Can be bought again", "再購入可能", "可重复购买"]
        case .subscription: ["Subscription", "サブスクリプション", "订阅"]
        case .limited: ["Access for a limited time", "期間限定", "限时使用"]
        case .other: ["Product", "商品", "商品"]
        case .buy: ["Buy for {price}", "{price}で購入", "以 {price} 购买"]
        case .subscribe: ["Subscribe for {price}", "{price}で登録", "以 {price} 订阅"]
        case .startTrial: ["Try {length} for free", "{length}無料で試す", "免费试用 {length}"]
        case .buying: ["Purchasing…", "購入手続き中…", "正在购买…"]
        case .owned: ["Purchased", "購入済み", "已购买"]
        case .awaitingApproval: ["Waiting for approval", "承認待ち", "等待批准"]
        case .unavailable: ["Not available", "現在購入できません", "暂不可购买"]
        }
    }
}
