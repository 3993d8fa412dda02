import PurchaseCore
import ReceiptTypes

/// A service with everything around it that a test may want to look at.
struct Bench {
    let verifier: ScriptedVerifier
    let store: ScriptedStore
    let journal = InMemoryJournal()
    let wallet = Wallet()
    let notes = NoteKeeper()
    let clock = Clock()
    let service: PurchaseService

    init(account: UUIDText? = nil) {
        verifier = ScriptedVerifier()
        store = ScriptedStore(verifier: verifier)
        service = PurchaseService(
            store: store, journal: journal, verifier: verifier, fulfiller: wallet, account: account, log: notes,
            clock: clock.now
        )
    }

    /// Another run of the process over what the last one has left.
    func restarted(account: UUIDText? = nil) -> PurchaseService {
        PurchaseService(
            store: store, journal: journal, verifier: verifier, fulfiller: wallet, account: account, log: notes,
            clock: clock.now
        )
    }

    /// Listens to everything that is delivered while `body` runs, and returns when all of it is taken in.
    func listening(_ body: () async throws -> Void) async rethrows -> [VerificationResult<Transaction>] {
        let told = Told()
        let listener = service.listenForTransactions { await told.add($0) }
        try await body()
        store.endUpdates()
        await listener.value
        return await told.results
    }

    func entitlements(_ service: PurchaseService? = nil) async throws -> Entitlements {
        let evidence = try await (service ?? self.service).evidence()
        return EntitlementProjection(catalog: Sample.catalog).entitlements(
            from: evidence.transactions, renewalInfos: evidence.renewalInfos,
            at: evidence.clock.time(byClock: clock.now()), isStoreReachable: evidence.isStoreReachable
        )
    }

    func stages() async -> [String: JournalStage] {
        Dictionary(
            await journal.entries().map { ($0.transaction.jws, $0.stage) }, uniquingKeysWith: { first, _ in first })
    }
}

/// What a listener was told.
actor Told {
    private(set) var results: [VerificationResult<Transaction>] = []
    func add(_ result: VerificationResult<Transaction>) { results.append(result) }
}
