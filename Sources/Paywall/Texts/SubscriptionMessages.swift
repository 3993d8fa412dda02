// The words of a subscription and of the plans that it can change to.

enum SubscriptionMessage: String, CustomerMessage {
    case present = "plan.present"
    case keep = "plan.keep"
    case changeNow = "plan.change-now"
    case changeOn = "plan.change-on"
    case changeAtRenewal = "plan.change-at-renewal"
    case begins = "plan.begins"
    case beginsAtRenewal = "plan.begins-at-renewal"
    case changesAtOnce = "plan.changes-at-once"
    case remains = "plan.remains"

    var texts: [String] {
        switch self {
        case .present: ["Your plan", "ご利用中のプラン", "当前方案"]
        case .keep: ["Keep this plan", "このプランを継続する", "保留此方案"]
        case .changeNow: ["Change now", "今すぐ変更する", "立即更换"]
        case .changeOn: ["Change on {date}", "{date}に変更する", "于 {date} 更换"]
        case .changeAtRenewal: ["Change at the next renewal", "次回更新時に変更する", "下次续订时更换"]
        case .begins: ["Begins on {date}", "{date}に開始", "将于 {date} 开始"]
        case .beginsAtRenewal: ["Begins with the next renewal", "次回更新時に開始", "下次续订时开始"]
        case .changesAtOnce: ["The plan changes at once.", "プランはすぐに変更されます。", "方案将立即更改。"]
        case .remains: ["Your plan stays as it is.", "現在のプランが継続されます。", "将保留您当前的方案。"]
        }
    }
}
