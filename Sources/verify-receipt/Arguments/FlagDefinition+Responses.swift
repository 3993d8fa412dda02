internal import CommandLineInterface

// The flags of `legacy-response`.
extension FlagDefinition where Flag == verify_receipt.Flag {
    static var excludeOldTransactions: Self {
        .init(
            "exclude-old-transactions", in: .output, for: [.legacyResponse],
            summary: "list only the latest transaction of each subscription",
            details:
                "latest_receipt_info then has the latest transaction of each subscription, and all other purchases. "
                + "receipt.in_app always has all purchases. The body of a request can ask for the same."
        )
    }

    static var transactionIDs: Self {
        .init(
            "transaction-ids", in: .output, for: [.legacyResponse],
            summary: "print only the transaction IDs, for the App Store Server API",
            details:
                "Prints one ID a line, in the order of the receipt. Any of them identifies the customer to the API. "
                + "Nothing is printed of a receipt that is not verified."
        )
    }

    static var subscriptions: Self {
        .init(
            "subscriptions", in: .output, for: [.legacyResponse],
            summary: "print only the latest state of each subscription",
            details:
                "Prints a JSON object a line, as a server keeps it: transactions with one original transaction are one "
                + "subscription, also after an upgrade, and the latest purchase decides. state is active, expired or "
                + "revoked at the current time; later renewals are not in the receipt, so ask the API before access "
                + "ends. Nothing is printed of a receipt that is not verified."
        )
    }
}
