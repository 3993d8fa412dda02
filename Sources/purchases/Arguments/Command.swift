internal import CommandLineInterface

/// The commands, in the order in which help lists them.
///
/// To add a command, add a case and its row in ``definition``, and run it in `PurchasesTool.perform(_:)`.
enum Command: ToolCommand {
    case list, show, verify, export, importing, check, repair, erase

    /// The commands that verify receipts.
    static let verifying: [Command] = [.verify, .importing]

    var definition: CommandDefinition {
        switch self {
        case .list:
            .init(
                "list",
                summary: "list the recorded purchases",
                description: [
                    "Prints a line for each purchase in the order of recording: transaction ID, user, product, date, "
                        + "price, and whether it is verified, revoked or synchronized. A user whose ID the ledger "
                        + "does not have is shown as # and the first digits of a digest."
                ],
                examples: [
                    .init(
                        "List the purchases of a user",
                        "purchases list --data /var/lib/notes --user 0e984725-c51c-4bf4-9960-e1c80e27aba0")
                ]
            )
        case .show:
            .init(
                "show", operands: "ID",
                summary: "show a purchase with its receipts and events",
                description: [
                    "ID is the ID of a transaction, or a purchase token of Google Play. Receipts are named with their "
                        + "stage in the ledger and are not printed. Exits with 1 if the database has neither a "
                        + "purchase nor a receipt with this ID."
                ],
                examples: [.init("Show a purchase as JSON", "purchases show 2000000123456789 --json")]
            )
        case .verify:
            .init(
                "verify",
                summary: "verify every stored receipt again",
                description: [
                    "Prints the verdict on each signed payload, and the reason if it is not verified. The verdict that "
                        + "the database has is not believed. A payload that is missing or was changed is unverified.",
                    "What is required of a receipt is given as for verify-receipt.",
                ],
                examples: [
                    .init(
                        "Verify the receipts of an app",
                        "purchases verify --data /var/lib/notes --bundle-id com.example.notes --environment Production")
                ]
            )
        case .export:
            .init(
                "export",
                summary: "print the signed payloads, one receipt a line",
                description: [
                    "Prints a JSON object per line with the members transactionId, productId, account and receipt, or "
                        + "data and signature for Google Play. verify-receipt batch and import read these lines. They "
                        + "contain what a customer has bought, and import believes what they say about its state: keep "
                        + "them as the database itself.",
                    "With --tombstones, further lines stand for granted consumables of deleted users, without a user "
                        + "or a transaction. import needs them, or a store that delivers such a consumable again has "
                        + "it granted again.",
                ],
                examples: [
                    .init(
                        "Verify all receipts with verify-receipt",
                        "purchases export --data /var/lib/notes | verify-receipt batch --bundle-id com.example.notes")
                ]
            )
        case .importing:
            .init(
                "import", operands: "FILE",
                summary: "record the receipts of an export, after verifying each again",
                description: [
                    "FILE has the lines of export, or - stands for standard input. Each receipt is verified as verify "
                        + "does it, and recorded for its account in the ledger and in the purchases. One that is not "
                        + "verified or belongs to another account is refused with its code, and the others are "
                        + "recorded. A line that is too long is refused too.",
                    "What a receipt signs is taken from it. The file is believed about the rest: the stage, so what "
                        + "was handed over before the export counts as handed over, and what was not recorded is not; "
                        + "the account, if the receipt names none; the type of a Google Play product; and the source "
                        + "and the time of observation. Import only a file that was kept as the database itself.",
                    "Each line is recorded as a whole. A repeated import changes nothing, so one that was interrupted "
                        + "is finished by the next. End the app before, which reads the ledger when it is launched.",
                ],
                examples: [
                    .init(
                        "Move the purchases of an app to another folder",
                        "purchases export -d old --tombstones | purchases import -d new --bundle-id com.example.notes -"
                    )
                ]
            )
        case .check:
            .init(
                "check",
                summary: "check every page, index, reference and seal of the database",
                description: [
                    "Reads the whole file, and exits with 1 if it is damaged. repair replaces a damaged file."
                ],
                examples: [.init("Check a copy of a database", "purchases check --data copy")]
            )
        case .repair:
            .init(
                "repair",
                summary: "replace a damaged database by what can be read of it",
                description: [
                    "Does nothing if the database is sound. The damaged file is kept beside the new one. The new file "
                        + "has the rows that could be read and whose seals are right; the app reads the rest from the "
                        + "store's history at its next launch. An app that has the database open goes on with the new "
                        + "file."
                ],
                examples: [.init("Repair a database", "purchases repair --data /var/lib/notes")]
            )
        case .erase:
            .init(
                "erase", operands: "USER",
                summary: "delete everything of a user, or of all users",
                description: [
                    "USER is the ID of an account. Deletes its purchases, their events and receipts, and its entries "
                        + "of the ledger and of the log, so that no byte of them can be read. Damaged files that were "
                        + "kept, and sealed stores and keys that were set aside, are deleted too. A digest of each "
                        + "granted purchase stays, so that a consumable is not granted again. This cannot be undone.",
                    "With --all and without USER, deletes everything of all users. Use it for an app without accounts, "
                        + "whose purchases belong to no account.",
                    "Exits with 1 and changes nothing if the database has nothing of the user. Exits with 2 if another "
                        + "process still reads what was deleted; the next run then deletes the rest.",
                ],
                examples: [
                    .init(
                        "Delete a user", "purchases erase 0e984725-c51c-4bf4-9960-e1c80e27aba0 --data /var/lib/notes"),
                    .init("Delete the data of an app without accounts", "purchases erase --all --data /var/lib/notes"),
                ]
            )
        }
    }
}
