// The words of a restore, on its screen and on a paywall.

enum RestoreMessage: String, CustomerMessage {
    case restoring = "restore.restoring"
    case alreadyRestored = "restore.already-restored"
    case othersRestored = "restore.others-restored"
    case nothingFound = "restore.nothing-found"
    case otherAccount = "restore.other-account"

    var texts: [String] {
        switch self {
        case .restoring: ["Restoring purchases…", "購入を復元しています…", "正在恢复购买…"]
        case .alreadyRestored: ["All purchases are already restored.", "すべての購入は復元済みです。", "所有购买均已恢复。"]
        case .othersRestored:
            ["Other purchases are already restored.", "その他の購入は復元済みです。", "其他购买已恢复。"]
        case .nothingFound: ["There are no purchases to restore.", "復元できる購入はありません。", "没有可恢复的购买。"]
        case .otherAccount:
            [
                "If you bought with another account of the store, sign in to the store with it and try again.",
                "ストアの別のアカウントで購入した場合は、そのアカウントでストアにサインインして、もう一度お試しください。",
                "如果您使用商店的其他账户购买，请使用该账户登录商店后重试。",
            ]
        }
    }
}

enum RestoredMessage: String, CountedMessage {
    case restored = "restore.restored"
    case rejected = "restore.rejected"
    case incomplete = "restore.incomplete"

    func texts(isOne: Bool) -> [String] {
        switch self {
        case .restored:
            [
                isOne ? "{count} purchase is restored." : "{count} purchases are restored.",
                "{count}件の購入を復元しました。", "已恢复 {count} 项购买。",
            ]
        case .rejected:
            [
                isOne
                    ? "{count} other purchase could not be restored. Contact support."
                    : "{count} other purchases could not be restored. Contact support.",
                "他に{count}件の購入を復元できませんでした。サポートにお問い合わせください。", "另有 {count} 项购买无法恢复。请联系客服。",
            ]
        case .incomplete:
            [
                isOne
                    ? "{count} other purchase is not restored yet. Try again."
                    : "{count} other purchases are not restored yet. Try again.",
                "他に{count}件の購入がまだ復元されていません。もう一度お試しください。", "另有 {count} 项购买尚未恢复。请重试。",
            ]
        }
    }
}
