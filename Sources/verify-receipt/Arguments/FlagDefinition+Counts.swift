internal import CommandLineInterface

/// The rows of the flags that print counts, duplicates or a page in place of results.
extension FlagDefinition<Flag> {
    static var countBy: Self {
        .init(
            "count-by", in: .batch, for: [.batch], value: .text("NAME,..."), isRepeatable: true,
            summary: "print the number of results by these fields",
            details:
                "In place of the results: one line for each combination of values, the most frequent first, as a "
                + "table on a terminal and as JSON Lines or CSV elsewhere. NAME is a field as in --fields. "
                + "Receipts are counted, also those that are there twice; --kind transaction verifies no "
                + "notifications and renewal infos of the same purchases. With --only, only these results are "
                + "counted by fields. More than 100,000 combinations end the run with exit code 2."
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
                + "of each, products, storefronts, environments, revenue by currency, duplicates and signers, in "
                + "one file without scripts or links that any browser shows and prints. The numbers are those of "
                + "--count-by and --duplicates, also with --only, --since and --redact. Prices are added for each "
                + "verified receipt that is not revoked, not family-shared and not a notification. Of more than "
                + "10,000 different products, prices or days, the first ones are counted by name, and the page "
                + "says so. An existing FILE.html is replaced only when the page is complete."
        )
    }

    static var temporaryDirectory: Self {
        .init(
            "temporary-dir", in: .batch, for: [.batch], value: .folder("DIR"), variable: .standard,
            summary: "the folder of the temporary file of --duplicates and --report",
            details:
                "The default is the folder of --output or --report, or else $TMPDIR or /tmp. The file has no name, "
                + "only this process can read it, and it disappears with the process."
        )
    }
}
