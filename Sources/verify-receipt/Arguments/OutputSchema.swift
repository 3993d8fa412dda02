internal import CommandLineInterface

/// The schemas of the JSON objects that `verify-receipt` prints.
enum OutputSchema: String, ToolSchema {
    case result = "verify-receipt/result-1"
    case explanation = "verify-receipt/explanation-1"
    case inspection = "verify-receipt/inspection-1"
    /// The library writes this name and the next one into the rows of a batch.
    case batchResult = "verify-receipt/batch-result-1"
    case batchFields = "verify-receipt/batch-fields-1"
    case batchCount = "verify-receipt/batch-count-1"
    case batchSum = "verify-receipt/batch-sum-1"
    case batchDuplicate = "verify-receipt/batch-duplicate-1"
    case batchSummary = "verify-receipt/batch-summary-1"
    case subscription = "verify-receipt/subscription-1"
    case code = "verify-receipt/code-1"
    case key = "verify-receipt/key-1"
    case root = "verify-receipt/root-1"
    case specimen = "verify-receipt/specimen-1"
    case vectorDifference = "verify-receipt/vector-difference-1"
    case vectorSummary = "verify-receipt/vector-summary-1"

    var meaning: String {
        switch self {
        case .result: "the result for one receipt, from verify"
        case .explanation: "the result for one receipt with all checks, from explain"
        case .inspection: "the unverified contents of one receipt, from inspect"
        case .batchResult: "the result for one receipt, from batch"
        case .batchFields: "the fields of one result that --fields names, from batch"
        case .batchCount: "a group of results and their number, from batch --count-by"
        case .batchSum: "the prices of a group of purchases, from batch --count-by with --sum"
        case .batchDuplicate: "a purchase that is presented more than once, from batch --duplicates"
        case .batchSummary: "the counts of a batch, from batch --summary"
        case .subscription: "a subscription in its latest state, from legacy-response --subscriptions"
        case .code: "a code of failures, from codes"
        case .key: "a key of the key cache, from keys"
        case .root: "a root certificate, from roots"
        case .specimen: "a receipt for tests and its expected result, in a file of mint --all-flaws"
        case .vectorDifference: "a test vector with an unexpected outcome, from vectors"
        case .vectorSummary: "the counts of test vectors, from vectors"
        }
    }
}
