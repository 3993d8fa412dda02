extension MessageCatalog {
    /// The languages in which ``standard`` has every text: English, Japanese and Simplified Chinese.
    public static let standardLanguages = ["en", "ja", "zh-Hans"]

    /// The texts of this package.
    ///
    /// Each error has a text that says what has happened, and a text under the same key with `.next` that says what the
    /// customer can do. No text says that nothing was charged unless that is certain.
    public static let standard = MessageCatalog(
        Dictionary(
            entries.flatMap { entry in
                [
                    (entry.key.rawValue, Dictionary(uniqueKeysWithValues: zip(standardLanguages, entry.texts))),
                    (entry.key.next.rawValue, Dictionary(uniqueKeysWithValues: zip(standardLanguages, entry.next))),
                ].filter { !$0.1.isEmpty }
            }, uniquingKeysWith: { first, _ in first }))

    private struct Entry {
        let key: MessageKey
        let texts: [String]
        let next: [String]

        init(_ key: MessageKey, _ texts: [String], next: [String] = []) {
            self.key = key
            self.texts = texts
            self.next = next
        }
    }

    private static let entries = [
        // MARK: The store
        Entry(
            .network,
            ["The store cannot be reached.", "ストアに接続できません。", "无法连接到商店。"],
            next: [
                "Check the internet connection, then try again.",
                "インターネット接続を確認してから、もう一度お試しください。",
                "请检查网络连接，然后重试。",
            ]),
        Entry(
            .storeProblem,
            ["The store has a problem at the moment.", "現在、ストアで問題が発生しています。", "商店目前出现问题。"],
            next: [
                "Wait a few minutes, then try again.", "数分待ってから、もう一度お試しください。", "请等待几分钟，然后重试。",
            ]),
        Entry(
            .cancelled,
            ["The purchase was cancelled.", "購入はキャンセルされました。", "购买已取消。"],
            next: [
                "To buy it, start the purchase again.", "購入する場合は、もう一度お手続きください。",
                "如需购买，请重新开始。",
            ]),
        Entry(
            .restoreCancelled,
            ["The restore was cancelled.", "購入の復元はキャンセルされました。", "恢复购买已取消。"],
            next: [
                "To restore purchases, try again and sign in to the store.",
                "購入を復元するには、もう一度お試しになり、ストアにサインインしてください。",
                "如需恢复购买，请重试并登录商店。",
            ]),
        Entry(
            .productUnavailable,
            [
                "This product is not available at the moment. You have not been charged.",
                "この商品は現在ご利用いただけません。料金は請求されていません。",
                "此商品目前无法购买。您未被扣款。",
            ],
            next: ["Choose another product.", "別の商品をお選びください。", "请选择其他商品。"]),
        Entry(
            .notAllowed,
            [
                "Purchases are not allowed on this device. You have not been charged.",
                "この端末では購入が許可されていません。料金は請求されていません。",
                "此设备不允许购买。您未被扣款。",
            ],
            next: [
                "Allow purchases in the settings of the device, or ask the person that manages it.",
                "端末の設定で購入を許可するか、端末の管理者にご相談ください。",
                "请在设备设置中允许购买，或联系设备管理者。",
            ]),
        Entry(
            .quantity,
            [
                "The store does not sell this quantity. You have not been charged.",
                "ストアではこの数量を販売していません。料金は請求されていません。",
                "商店不出售此数量。您未被扣款。",
            ],
            next: ["Choose another quantity.", "別の数量をお選びください。", "请选择其他数量。"]),
        Entry(
            .offer,
            [
                "The store does not apply this offer to this account. You have not been charged.",
                "このアカウントには特典が適用されません。料金は請求されていません。",
                "此优惠不适用于此账户。您未被扣款。",
            ],
            next: ["Continue without the offer.", "特典なしでお手続きください。", "请在不使用优惠的情况下继续。"]),
        Entry(
            .alreadyOwned,
            [
                "The store account already has this product. You have not been charged.",
                "ストアのアカウントはこの商品を購入済みです。料金は請求されていません。",
                "商店账户已拥有此商品。您未被扣款。",
            ],
            next: [
                "Restart the app, then restore purchases.", "アプリを再起動してから、購入を復元してください。",
                "请重新启动应用，然后恢复购买。",
            ]),
        Entry(
            .unsupported,
            [
                "Purchases are not possible on this device. You have not been charged.",
                "この端末では購入できません。料金は請求されていません。",
                "此设备无法购买。您未被扣款。",
            ],
            next: ["Use a device that has the store.", "ストアのある端末をご利用ください。", "请使用带有商店的设备。"]),

        // MARK: The purchase
        Entry(
            .unconfirmed,
            [
                "The purchase could not be confirmed with the store.", "購入をストアで確認できませんでした。",
                "无法向商店确认此次购买。",
            ],
            next: [
                "Restore purchases. If that does not help, contact support.",
                "購入を復元してください。解決しない場合は、サポートにお問い合わせください。",
                "请恢复购买。如仍未解决，请联系客服。",
            ]),
        Entry(
            .revoked,
            [
                "The store has cancelled or refunded this purchase.", "この購入はストアで取り消しまたは返金されました。",
                "商店已取消此次购买或已退款。",
            ],
            next: ["Buy it again to use it.", "利用するには、もう一度購入してください。", "如需使用，请重新购买。"]),
        Entry(
            .checking,
            ["The purchase is still being checked.", "購入を確認しています。", "正在核实此次购买。"],
            next: [
                "Wait a moment. Do not buy it again.", "しばらくお待ちください。もう一度購入する必要はありません。",
                "请稍候，无需重复购买。",
            ]),
        Entry(
            .awaitingPayment,
            [
                "The payment of this purchase is not complete yet.", "この購入のお支払いはまだ完了していません。",
                "此次购买的付款尚未完成。",
            ],
            next: [
                "Complete the payment in the store. Do not buy it again.",
                "ストアでお支払いを完了してください。もう一度購入する必要はありません。",
                "请在商店完成付款，无需重复购买。",
            ]),
        Entry(
            .notSaved,
            [
                "The store has sold the product, but the purchase is not saved yet.",
                "ストアでの購入は完了しましたが、まだ保存されていません。",
                "商店已完成销售，但购买尚未保存。",
            ],
            next: [
                "Keep the app open, or open it again later. Do not buy it again.",
                "アプリを開いたままにするか、後でもう一度開いてください。もう一度購入する必要はありません。",
                "请保持应用打开，或稍后再次打开，无需重复购买。",
            ]),
        Entry(
            .differentProduct,
            [
                "The store confirmed a different product.",
                "ストアは選択した商品とは別の商品を確認しました。",
                "商店确认的商品与所选商品不同。",
            ],
            next: [
                "Contact support with the store's receipt.", "ストアの領収書を添えて、サポートにお問い合わせください。",
                "请附上商店的收据联系客服。",
            ]),

        // MARK: The app
        Entry(
            .inProgress,
            ["Another purchase is in progress.", "別の購入手続きが進行中です。", "另一项购买正在进行中。"],
            next: [
                "Finish it, then try again.", "その手続きを終えてから、もう一度お試しください。", "请先完成该购买，然后重试。",
            ]),
        Entry(
            .salesPaused,
            [
                "The app does not sell anything at the moment. You have not been charged.",
                "現在、アプリでの販売を停止しています。料金は請求されていません。",
                "应用目前暂停销售。您未被扣款。",
            ],
            next: ["Try again later.", "後でもう一度お試しください。", "请稍后重试。"]),
        Entry(
            .otherAccount,
            [
                "This purchase belongs to another account of the app.", "この購入はアプリの別のアカウントのものです。",
                "此购买属于应用的另一个账户。",
            ],
            next: [
                "Sign in with the account that made the purchase.", "購入したアカウントでサインインしてください。",
                "请使用购买时的账户登录。",
            ]),
        Entry(
            .signedOut,
            [
                "No account is signed in. You have not been charged.",
                "サインインしていません。料金は請求されていません。",
                "尚未登录账户。您未被扣款。",
            ],
            next: ["Sign in, then buy again.", "サインインしてから、もう一度購入してください。", "请登录后再次购买。"]),
        Entry(
            .storage,
            [
                "Purchases cannot be read or saved on this device at the moment.",
                "現在、この端末で購入の読み込みまたは保存ができません。",
                "目前无法在此设备上读取或保存购买。",
            ],
            next: [
                "Free some storage space and restart the app, then try again.",
                "空き容量を増やしてアプリを再起動してから、もう一度お試しください。",
                "请释放存储空间并重新启动应用，然后重试。",
            ]),
        Entry(
            .rateLimited,
            [
                "There were many attempts in a short time. This one was not made, and you have not been charged.",
                "短時間に多くの操作がありました。今回の操作は行われず、料金も請求されていません。",
                "短时间内操作过多，此次操作未执行，也未扣款。",
            ],
            next: [
                "Wait a moment, then try again.", "しばらく待ってから、もう一度お試しください。", "请稍候，然后重试。",
            ]),
        Entry(
            .retryIn,
            ["Try again in {seconds} s.", "{seconds} 秒後にもう一度お試しください。", "请在 {seconds} 秒后重试。"]),
        Entry(
            .recovering,
            [
                "Purchases are being recovered. You have not been charged.",
                "購入データを復旧しています。料金は請求されていません。",
                "正在恢复购买数据。您未被扣款。",
            ],
            next: [
                "Wait until this is complete, then try again.", "完了してから、もう一度お試しください。",
                "请等待完成，然后重试。",
            ]),
        Entry(
            .unexpected,
            ["Something unexpected happened.", "予期しない問題が発生しました。", "发生了意外情况。"],
            next: [
                "Check the purchases before another attempt. If it happens again, contact support.",
                "もう一度お試しになる前に、購入履歴をご確認ください。繰り返す場合は、サポートにお問い合わせください。",
                "再次尝试前，请先查看购买记录。如再次发生，请联系客服。",
            ]),
    ]
}

extension MessageKey {
    /// The store cannot be reached.
    public static let network: Self = "error.network"
    /// The store has a problem.
    public static let storeProblem: Self = "error.store-problem"
    /// The customer has cancelled.
    public static let cancelled: Self = "error.cancelled"
    /// The customer has cancelled a restore.
    public static let restoreCancelled: Self = "error.restore-cancelled"
    /// The store does not sell the product.
    public static let productUnavailable: Self = "error.product-unavailable"
    /// The customer is not allowed to buy.
    public static let notAllowed: Self = "error.not-allowed"
    /// The store does not sell the quantity.
    public static let quantity: Self = "error.quantity"
    /// The customer is not eligible for the offer.
    public static let offer: Self = "error.offer"
    /// The account of the store has the product.
    public static let alreadyOwned: Self = "error.already-owned"
    /// The device has no store.
    public static let unsupported: Self = "error.unsupported"
    /// The purchase is not verified, and verifying it again cannot change that.
    public static let unconfirmed: Self = "error.unconfirmed"
    /// The store has refunded or cancelled the purchase.
    public static let revoked: Self = "error.revoked"
    /// The purchase is not verified yet.
    public static let checking: Self = "error.checking"
    /// The purchase is not paid yet.
    public static let awaitingPayment: Self = "error.awaiting-payment"
    /// The purchase is paid and not recorded yet.
    public static let notSaved: Self = "error.not-saved"
    /// The store has sold a product other than the requested one.
    public static let differentProduct: Self = "error.different-product"
    /// Another purchase is in progress.
    public static let inProgress: Self = "error.in-progress"
    /// Purchases are switched off.
    public static let salesPaused: Self = "error.sales-paused"
    /// The purchase belongs to another user of the app.
    public static let otherAccount: Self = "error.other-account"
    /// No user is signed in.
    public static let signedOut: Self = "error.signed-out"
    /// The ledger cannot be read or written.
    public static let storage: Self = "error.storage"
    /// A rate limit is reached.
    public static let rateLimited: Self = "error.rate-limited"
    /// What to do after a rate limit: try again after `{seconds}`.
    public static let retryIn: Self = "error.retry-in"
    /// A recovery is in progress.
    public static let recovering: Self = "error.recovering"
    /// The reason is not known.
    public static let unexpected: Self = "error.unexpected"
}
