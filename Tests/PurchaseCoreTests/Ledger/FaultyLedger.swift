import PurchaseCore
import ReceiptTypes

/// A fault of a ledger, named after what the ledger does wrong.
enum LedgerFault: String, CaseIterable, Sendable {
    case normalizesTexts = "gives texts the digest of their normalized form"
    case cutsObjection = "cuts an objection at its first NUL"
    case sortsByTime = "sorts deliveries by their time"
    case replacesAtEnd = "moves a replaced delivery to the end"
    case ignoresEqualRow = "stores no replacement that is equal after Unicode normalization"
    case keepsVersion = "finds a replaced delivery under its former version"
    case ignoresDeletion = "deletes no delivery"
    case mixesPurchases = "finds deliveries of all purchases in the case of letters"
    case dropsContent = "loses the content of a deleted delivery at once"
    case keepsContent = "keeps contents that no row has"
    case mixesUsers = "returns all purchases while no account is signed in"
    case losesPurchaseContent = "deletes the content of a purchase with its delivery"
    case cutsEvents = "keeps one event of a change"
    case swapsAmount = "forgets that a purchase was taken back"
    case cutsClaim = "loses that a claim follows an unanswered one"
    case keepsClaim = "deletes no claim"
    case repeatsNumber = "gives the number of a deleted claim again"
    case firstRenewal = "keeps the first renewal info of a subscription"
    case losesToken = "loses the token of a pending purchase"
    case keepsChanges = "keeps the changes of a body that throws"
    case changesError = "throws an error of its own if the body throws"
    case losesChanges = "loses the changes of transactions at the same time"
    case commitsTwice = "commits a transaction in two parts"
    case halfIfCancelled = "makes half of the changes in a cancelled task"
    case hidesChanges = "shows each opened ledger only its own changes"
    case losesOthers = "loses the changes that another ledger makes at the same time"
    case commitsTwiceIfShared = "commits a transaction in two parts in the second of two ledgers"
    case forgetsMemory = "forgets the memory when the storage is opened again"
    case restartsNumbers = "counts claims from the start when the storage is opened again"
    case forgetsThirdHandOver = "stores no hand-over of a purchase with a claim and a renewal info"

    /// The name of the rule that the fault breaks.
    var rule: String {
        switch self {
        case .normalizesTexts: "digests"
        case .cutsObjection: "delivery-whole"
        case .sortsByTime, .replacesAtEnd: "delivery-order"
        case .ignoresEqualRow, .keepsVersion: "delivery-replace"
        case .ignoresDeletion: "delivery-delete"
        case .mixesPurchases: "found-exactly"
        case .dropsContent: "content-moved"
        case .keepsContent: "content-unused"
        case .mixesUsers: "purchase"
        case .losesPurchaseContent: "purchase-content"
        case .cutsEvents: "purchase-events"
        case .swapsAmount: "hand-over"
        case .cutsClaim, .keepsClaim: "claim"
        case .repeatsNumber: "claim-number"
        case .firstRenewal: "renewal"
        case .losesToken: "memory"
        case .keepsChanges, .changesError: "all-or-nothing"
        case .losesChanges: "parallel"
        case .commitsTwice: "isolated"
        case .halfIfCancelled: "cancelled"
        case .hidesChanges: "shared"
        case .losesOthers: "shared-parallel"
        case .commitsTwiceIfShared: "shared-isolated"
        case .forgetsMemory: "durable"
        case .restartsNumbers: "durable-numbers"
        case .forgetsThirdHandOver: "random-histories"
        }
    }
}

/// A storage whose ledgers have a fault.
final class FaultyStorage: Sendable {
    private let fault: LedgerFault
    private let base = Shared(InMemoryLedger())
    private let openings = Shared(0)

    init(_ fault: LedgerFault) {
        self.fault = fault
    }

    /// Opens the storage.
    func open() async throws -> any PurchaseLedger {
        let number = openings.change { count in
            count += 1
            return count
        }
        guard number > 1 else { return FaultyLedger(base: base.value, fault: fault, number: number) }
        if fault == .hidesChanges { return FaultyLedger(base: InMemoryLedger(), fault: fault, number: number) }
        if fault == .forgetsMemory {
            try await base.value.transact(.remember) { (rows: inout any LedgerRows) throws(LedgerError) in
                try rows.put(LedgerMemory())
            }
        }
        return FaultyLedger(base: base.value, fault: fault, number: number)
    }
}

/// A ledger with a fault over one in memory.
struct FaultyLedger: PurchaseLedger {
    let base: InMemoryLedger
    let fault: LedgerFault
    /// The number of times that the storage was opened.
    let number: Int

    private var splitsCommit: Bool {
        fault == .commitsTwice || fault == .commitsTwiceIfShared && number > 1
            || fault == .halfIfCancelled && Task.isCancelled
    }

    func transact<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        let losesChanges = fault == .losesChanges || fault == .losesOthers && number > 1
        // What others change between these two reads is lost.
        let early =
            losesChanges ? try await read(.readMemory) { (rows) throws(LedgerError) in try rows.memory() } : nil
        if losesChanges { await Task.yield() }
        let (result, later) = try await base.transact(step) {
            [self] (rows: inout any LedgerRows) throws(LedgerError) -> (Result<Value, LedgerError>, LedgerMemory?) in
            if let early { try rows.put(early) }
            var faulty: any LedgerRows = FaultyRows(
                base: rows, fault: fault, number: number, delaysMemory: splitsCommit)
            let result: Result<Value, LedgerError>
            do throws(LedgerError) {
                result = .success(try body(&faulty))
            } catch {
                guard fault == .keepsChanges else {
                    throw fault == .changesError ? LedgerError(.notWritten, "failed") : error
                }
                result = .failure(error)
            }
            guard let faulty = faulty as? FaultyRows else { return (result, nil) }
            rows = faulty.base
            return (result, faulty.delayedMemory)
        }
        if let later, fault != .halfIfCancelled {
            await Task.yield()
            try await base.transact(step) { (rows: inout any LedgerRows) throws(LedgerError) in try rows.put(later) }
        }
        return try result.get()
    }

    func read<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await base.read(step) { [self] (rows) throws(LedgerError) in
            try body(FaultyRows(base: rows, fault: fault, number: number, delaysMemory: false))
        }
    }
}
