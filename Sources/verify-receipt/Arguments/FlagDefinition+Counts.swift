internal import CommandLineInterface

/// The rows of the flags that print counts, duplicates or a page in place of results.
extension FlagDefinition<Flag> {
    static var countBy: Self {
        .init(
            "count-by", in: .batch, for: [.batch], value: .list("NAME,...", suggestions: Flag.fieldNames),
            isRepeatable: true,
            summary: "print the number of results by these fields",
            details:
                "In place of the results: one line for each combination of values, the most frequent first, as a "
                + "table on a terminal and as JSON Lines or CSV elsewhere. NAME is a field as in --fields. "
                + "Receipts are counted, also those that are there twice; --kind transaction verifies no "
                + "notifications and renewal infos of the same purchases. With --only, only these results are "
                + "counted by fields. More than 100,000 combinations end the run with exit code 2."
        )
    }

    static var sum: Self {
        .init(
            "sum", in: .batch, for: [.batch], value: .word("FIELD", of: ["price"]),
            summary: "add up the prices of purchases, in place of the number of results",
            details:
                "With --count-by: one line for each combination of values and currency, with the number of purchases, "
                + "their price, what was refunded of it, and what was kept, in exact decimals. A purchase is an "
                + "environment and a transaction ID; it counts once, however often receipts and notifications present "
                + "it, in the version that the store has signed last. A price is that of the complete quantity. Of a "
                + "consumable, a share of the price can be refunded, rounded to a thousandth; every other product "
                + "with a revocation date, such as a subscription, is refunded in full, whatever its share. day and "
                + "month are those of the purchase, and --since and --until compare its date, unless --date-field "
                + "names another: the store signs a transaction again with each refund, so by signedDate a refund "
                + "moves its purchase, or leaves the version before it. Purchases in other environments than "
                + "Production, and family-shared ones, are no revenue and left out, with a note, and so are Google "
                + "Play purchases and app receipts, which have no prices. Apple does not mean price for "
                + "accounting. Memory use does not grow with the input: about 300 bytes for each transaction are "
                + "sorted in a temporary file."
        )
    }

    static var duplicates: Self {
        .init(
            "duplicates", in: .batch, for: [.batch],
            summary: "print the purchases that are presented more than once",
            details:
                "In place of the results: each transaction ID with its app and environment, or purchase token of "
                + "Google Play (or order ID if there is none), that more than one receipt has, as a table on a "
                + "terminal and as JSON Lines or CSV elsewhere. Each has the exact number of receipts and of "
                + "verified ones, whether all are the same receipt, and the places of the first 20 with their "
                + "verdicts and the SHA-256 of what is signed; CSV has a line for each place. Receipts that are "
                + "not verified count with the IDs that they claim to have; --only verified leaves them out. A "
                + "notification does not count as a presentation of the transaction in it. Memory use does not "
                + "grow with the input: about 100 bytes for each ID are sorted in a temporary file."
        )
    }

    static var report: Self {
        .init(
            "report", in: .batch, for: [.batch], value: .writtenFile("FILE.html"),
            summary: "write a page with charts and tables to FILE.html",
            details:
                "In place of the results: the verdicts over time, the reasons of failures with the first receipts "
                + "of each, products, storefronts, environments, revenue by currency, product, country, month and day, "
                + "refunds, free trials, duplicates and signers, in "
                + "one file without scripts or links that any browser shows and prints. The numbers are those of "
                + "--count-by, --sum and --duplicates, also with --only, --since and --redact: receipts by the time "
                + "of signing, and revenue by the time of the purchase, unless --date-field names another date. "
                + "Revenue by month and day is by the time of the purchase in any case. Of more than "
                + "10,000 different products, prices or days, the first ones are counted by name, and the page "
                + "says so. An existing FILE.html is replaced only when the page is complete."
        )
    }

    static var temporaryDirectory: Self {
        .init(
            "temporary-dir", in: .batch, for: [.batch], value: .folder("DIR"), variable: .standard,
            summary: "the folder of the temporary files of --duplicates, --sum and --report",
            details:
                "The default is the folder of --output or --report, or else $TMPDIR or /tmp. The file has no name, "
                + "only this process can read it, and it disappears with the process."
        )
    }
}
