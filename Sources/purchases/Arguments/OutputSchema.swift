internal import CommandLineInterface

/// The schemas of the JSON objects that `purchases` prints.
enum OutputSchema: String, ToolSchema {
    case purchase = "purchases/purchase-1"
    case receipt = "purchases/receipt-1"
    case tombstone = "purchases/tombstone-1"
    case result = "purchases/result-1"
    case summary = "purchases/summary-1"
    case refusal = "purchases/refusal-1"
    case imported = "purchases/import-1"
    case check = "purchases/check-1"
    case recovery = "purchases/recovery-1"
    case erasure = "purchases/erasure-1"

    var meaning: String {
        switch self {
        case .purchase: "a recorded purchase, from list, and with its events from show"
        case .receipt: "a signed payload and the facts about it, from export"
        case .tombstone: "what keeps a consumable of a deleted user from being granted again, from export"
        case .result: "the verdict on a stored receipt, from verify"
        case .summary: "the counts of verify"
        case .refusal: "a line that was not recorded, with the reason, from import"
        case .imported: "the counts of import"
        case .check: "whether the database is sound, from check"
        case .recovery: "what a repair has done, from repair"
        case .erasure: "what was deleted of a user, from erase"
        }
    }
}
