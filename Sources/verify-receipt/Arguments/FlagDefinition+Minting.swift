internal import CommandLineInterface
internal import ReceiptTestAuthority
internal import ReceiptTypes
internal import ReceiptVerification

// The flags of `mint`.
extension FlagDefinition where Flag == verify_receipt.Flag {
    static var authority: Self {
        .init(
            "authority", short: "a", in: .minting, for: [.mint],
            value: .folder(
                "DIR",
                with: TestAuthority.fileNames + [
                    TestPlayKey.fileName, TestPlayKey.publicFileName, AppReceiptAuthority.keysFileName,
                    AppReceiptAuthority.rootFileName,
                ]),
            variable: .standard,
            summary: "the folder of the test authority",
            details:
                "Created if it does not exist. The first Google Play purchase adds a key, with its public key in "
                + "play-key.txt for --play-key. The first app receipt adds keys and a root of their own, "
                + "app-receipt-root.der."
        )
    }

    static var payload: Self {
        .init(
            "payload", in: .minting, for: [.mint], value: .file("JSON"),
            summary: "the payload to sign: JSON, a file, or - for standard input",
            details: "Signed as given, byte for byte. The default is a realistic payload."
        )
    }

    static var set: Self {
        .init(
            "set", in: .minting, for: [.mint], value: .text("MEMBER=VALUE"), isRepeatable: true,
            summary: "give a member of the payload this value",
            details:
                "MEMBER can be a path such as data.status; in a notification, transaction.expiresDate and the like "
                + "are members of the receipts inside it. VALUE is JSON, or else text. For a date, it can be a "
                + "time such as 2024-05-01T12:00:00Z, or relative to the signing time: -P1D is a day before it, "
                + "+PT1H an hour after it. A value of a wrong type and an unknown member are signed too, with a "
                + "warning if they look like mistakes. In an app receipt, a MEMBER that is a number becomes an "
                + "attribute with this number, and null leaves an attribute out."
        )
    }

    static var type: Self {
        .init(
            "type", in: .minting, for: [.mint], value: .word("TYPE", of: ProductTypeWord.all),
            summary: "the type of the product, by default auto-renewable",
            details:
                "TYPE is auto-renewable, non-renewing, consumable or non-consumable, for a transaction, a "
                + "notification, a Google Play purchase or an app receipt."
        )
    }

    static var form: Self {
        .init(
            "form", in: .minting, for: [.mint],
            value: .word("FORM", of: AppReceiptAuthority.Form.allCases.map(\.rawValue)),
            summary: "the form of app receipts, by default sha256",
            details:
                "FORM is sha1, as the App Store signed until January 2024, sha256, as it has signed since August "
                + "2023, or xcode: in BER, with a single certificate, which --root must name."
        )
    }

    static var notificationType: Self {
        .init(
            "notification-type", in: .minting, for: [.mint],
            value: .text("NAME", suggestions: NotificationType.known.map(\.rawValue)),
            summary: "make a notification of this type",
            details:
                "NAME is such as REFUND or did-renew (the default). The contents are those that the App Store "
                + "sends for the type: a refund has a revoked transaction, a test has none."
        )
    }

    static var subtype: Self {
        .init(
            "subtype", in: .minting, for: [.mint],
            value: .text("NAME", suggestions: NotificationSubtype.known.map(\.rawValue)),
            summary: "make a notification of this subtype"
        )
    }

    static var mintedAt: Self {
        .init(
            "at", in: .minting, for: [.mint], value: .text("TIME"),
            summary: "the signing time, by default now",
            details:
                "TIME is a time such as 2024-05-01T12:00:00Z, or relative to now, such as -P1D. The other dates of "
                + "the payload follow from it."
        )
    }

    static var seed: Self {
        .init(
            "seed", in: .minting, for: [.mint], value: .text("N"),
            summary: "derive all IDs from this number",
            details:
                "With --at, the payloads are then the same in each run, and so are app receipts as a whole. Other "
                + "signatures of the App Store are other ones each time, as ECDSA takes a random number for them, "
                + "also inside the payload of a notification."
        )
    }

    static var count: Self {
        .init(
            "count", short: "n", in: .minting, for: [.mint], value: .text("N"),
            summary: "make N receipts, one per line, with IDs of their own"
        )
    }

    static var force: Self {
        .init(
            "force", in: .minting, for: [.mint],
            summary: "replace the test authority with a new one",
            details: "Receipts of the old authority do not verify with the new root.der."
        )
    }

    static var flaw: Self {
        .init(
            "flaw", in: .minting, for: [.mint], value: .word("NAME", of: ReceiptFlaw.all.map(\.name)),
            summary: "make receipts with this flaw, to test your server",
            details:
                "--list-flaws lists the names. A message on standard error says which result verify has for the "
                + "receipt, and what it must require if that is not obvious."
        )
    }

    static var allFlaws: Self {
        .init(
            "all-flaws", in: .minting, for: [.mint], value: .folder("DIR"),
            summary: "write a receipt with each flaw into DIR",
            details:
                "DIR is a new or an empty folder, or one with earlier specimens, which are replaced. It also gets "
                + "a receipt of each kind without flaws, root.der and root.pem, play-key.txt, and specimens.jsonl: "
                + "a line for each file with its flaw, the verdict and the code, what a verifier must require, and "
                + "the arguments of verify, relative to DIR. There is no private key in it. Without --authority, "
                + "the keys are new ones, and are not kept."
        )
    }

    static var listFlaws: Self {
        .init(
            "list-flaws", in: .minting, for: [.mint],
            summary: "list the flaws with the codes that they cause",
            details: "The codes that no receipt can cause follow, each with the reason."
        )
    }
}
