extension StoreConfiguration {
    /// A `.storekit` file with a consumable, a non-consumable and two subscriptions, to try a store without a file.
    package static let sample = """
        {
          "identifier": "5A3B1E01",
          "nonRenewingSubscriptions": [],
          "products": [
            {
              "displayPrice": "0.99", "familyShareable": false, "internalID": "7000000001",
              "localizations": [
                { "description": "Ten coins to spend", "displayName": "Coins", "locale": "en_US" },
                { "description": "使えるコイン10枚", "displayName": "コイン", "locale": "ja" },
                { "description": "10 枚可使用的金币", "displayName": "金币", "locale": "zh_Hans" }
              ],
              "productID": "com.example.app.coins", "referenceName": "Coins", "type": "Consumable"
            },
            {
              "displayPrice": "4.99", "familyShareable": true, "internalID": "7000000002",
              "localizations": [
                { "description": "Saves notes as PDF", "displayName": "Export", "locale": "en_US" },
                { "description": "メモをPDFで保存", "displayName": "書き出し", "locale": "ja" },
                { "description": "将笔记保存为 PDF", "displayName": "导出", "locale": "zh_Hans" }
              ],
              "productID": "com.example.app.export", "referenceName": "Export", "type": "NonConsumable"
            }
          ],
          "settings": { "_locale": "en_US", "_storefront": "USA", "_timeRate": 0 },
          "subscriptionGroups": [
            {
              "id": "20990002", "localizations": [], "name": "Pro",
              "subscriptions": [
                {
                  "adHocOffers": [], "codeOffers": [], "displayPrice": "2.99", "familyShareable": false,
                  "groupNumber": 2, "internalID": "7000000010", "introductoryOffer": null,
                  "localizations": [
                    { "description": "Everything, month by month", "displayName": "Pro Monthly", "locale": "en_US" },
                    { "description": "すべての機能を月ごとに", "displayName": "Pro 月額", "locale": "ja" },
                    { "description": "按月使用全部功能", "displayName": "Pro 月度", "locale": "zh_Hans" }
                  ],
                  "productID": "com.example.app.pro.monthly", "recurringSubscriptionPeriod": "P1M",
                  "referenceName": "Pro Monthly", "subscriptionGroupID": "20990002", "type": "RecurringSubscription"
                },
                {
                  "adHocOffers": [], "codeOffers": [], "displayPrice": "19.99", "familyShareable": false,
                  "groupNumber": 1, "internalID": "7000000011",
                  "introductoryOffer": {
                    "internalID": "7000000021", "numberOfPeriods": 1, "paymentMode": "free",
                    "subscriptionPeriod": "P1W"
                  },
                  "localizations": [
                    { "description": "Everything, for a year", "displayName": "Pro Yearly", "locale": "en_US" },
                    { "description": "すべての機能を1年間", "displayName": "Pro 年額", "locale": "ja" },
                    { "description": "全年使用全部功能", "displayName": "Pro 年度", "locale": "zh_Hans" }
                  ],
                  "productID": "com.example.app.pro.yearly", "recurringSubscriptionPeriod": "P1Y",
                  "referenceName": "Pro Yearly", "subscriptionGroupID": "20990002", "type": "RecurringSubscription"
                }
              ]
            }
          ],
          "version": { "major": 4, "minor": 0 }
        }
        """
}
