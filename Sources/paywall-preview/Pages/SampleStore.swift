/// The products of the shop without a `.storekit` file.
enum SampleStore {
    static let storekit = """
        {
          "identifier": "5A3B1E01",
          "nonRenewingSubscriptions": [],
          "products": [
            {
              "displayPrice": "0.99", "familyShareable": false, "internalID": "7000000001",
              "localizations": [
                { "description": "Ten coins to spend", "displayName": "Coins", "locale": "en_US" }
              ],
              "productID": "com.example.app.coins", "referenceName": "Coins", "type": "Consumable"
            },
            {
              "displayPrice": "4.99", "familyShareable": true, "internalID": "7000000002",
              "localizations": [
                { "description": "Saves notes as PDF", "displayName": "Export", "locale": "en_US" }
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
                  "groupNumber": 1, "internalID": "7000000010", "introductoryOffer": null,
                  "localizations": [
                    { "description": "Everything, month by month", "displayName": "Pro Monthly", "locale": "en_US" }
                  ],
                  "productID": "com.example.app.pro.monthly", "recurringSubscriptionPeriod": "P1M",
                  "referenceName": "Pro Monthly", "subscriptionGroupID": "20990002", "type": "RecurringSubscription"
                },
                {
                  "adHocOffers": [], "codeOffers": [], "displayPrice": "19.99", "familyShareable": false,
                  "groupNumber": 1, "internalID": "7000000011", "introductoryOffer": null,
                  "localizations": [
                    { "description": "Everything, for a year", "displayName": "Pro Yearly", "locale": "en_US" }
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
