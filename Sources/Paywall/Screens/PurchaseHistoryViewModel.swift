public import PurchaseCore
internal import ReceiptTypes

/// The logic of a screen that lists the customer's purchases and shows one of them.
///
/// It reads the recorded purchases and the entitlements, and follows both: a purchase, a renewal or a refund changes
/// the list while it is shown. Create one for the user that the records belong to.
///
/// <doc:ShowingPurchases> has an example.
@MainActor
public final class PurchaseHistoryViewModel: ScreenModel {
    /// What the screen shows.
    public enum State: Sendable, Hashable {
        /// Nothing was read yet.
        case loading
        /// The customer has no purchases; the text says so.
        case empty(String)
        /// The customer's purchases.
        case loaded(PurchaseHistory)
        /// The purchases cannot be read; offer ``PurchaseHistoryViewModel/retry()``.
        case failed(PurchaseError)
    }

    /// What the screen shows now.
    public private(set) var state: State = .loading {
        didSet { if state != oldValue { observers.send(state) } }
    }

    private let records: PurchaseRecords
    private let entitlements: any EntitlementProviding
    private let repository: PurchaseRepository?
    private let texts: PaywallTexts
    private let timer: any PurchaseTimer
    private let exportLog: SupportLogExport?
    private let observers = Broadcast<State>()

    /// The recorded purchases; nil until they are read, and after a failure.
    private var purchases: [Purchase]?
    /// Whether the entitlements were asked for; they can stay not loaded if that has failed.
    private var hasAskedForEntitlements = false
    private var products: [ExactString: KnownProduct] = [:]
    /// The ids of all products in the records.
    private var productIDs: Set<ExactString> = []
    /// The ids that the store has not answered about yet; they are asked about again when it can be reached.
    private var openIDs: Set<ExactString> = []
    private let productQuestions = Broadcast<Set<ExactString>>()
    private var attempt = 0
    private let attempts = Broadcast<Int>()

    /// The milliseconds within which the records, the entitlements and the products have to be there.
    static let deadline: Int64 = 30_000

    /// Creates a view model; it shows ``State/loading`` until ``follow()`` is called.
    ///
    /// - Parameters:
    ///   - records: The recorded purchases of the user.
    ///   - entitlements: What the user owns.
    ///   - products: Has the names of the products. With a cache, a product keeps its last known name when the store no
    ///     longer sells it; without it, the list shows ids.
    ///   - texts: Writes the texts.
    ///   - exportLog: Returns the log for support with some facts added, for example from `LogStorage.exportedLog`.
    ///   - timer: Measures the deadline of a read.
    public init(
        records: PurchaseRecords, entitlements: any EntitlementProviding, products: PurchaseRepository?,
        texts: PaywallTexts, exportLog: SupportLogExport? = nil,
        timer: any PurchaseTimer = SystemTimer()
    ) {
        self.records = records
        self.entitlements = entitlements
        repository = products
        self.texts = texts
        self.exportLog = exportLog
        self.timer = timer
    }

    /// Returns a stream of the state and every change of it; a slow consumer receives only the latest.
    public func updates() -> AsyncStream<State> { observers.stream(from: state) }

    /// Reads the purchases and follows their changes, until the calling task is cancelled.
    public func follow() async {
        let observation = entitlements.observeChanges { [weak self] in self?.entitlementsChanged() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.followRecords() }
            group.addTask { await self.loadEntitlements() }
            group.addTask { await self.loadProducts() }
        }
        withExtendedLifetime(observation) {}
    }

    /// Reads the purchases again after a failure; does nothing in any other state.
    public func retry() {
        guard case .failed = state else { return }
        state = .loading
        attempt += 1
        attempts.send(attempt)
    }

    // MARK: The records

    private func followRecords() async {
        while !Task.isCancelled {
            let attempt = attempt
            await readRecords()
            // Returns at a retry, or when the task is cancelled.
            for await next in attempts.stream(from: self.attempt) where next != attempt { break }
        }
    }

    /// Follows the records until they cannot be read or the task is cancelled.
    private func readRecords() async {
        let reading = Task { () -> (any Error)? in
            do {
                for try await purchases in self.records.purchaseUpdates() { await self.show(purchases) }
                return nil
            } catch {
                return error
            }
        }
        let deadline = timer.start(milliseconds: Self.deadline)
        let watch = Task {
            await deadline.value
            if self.purchases == nil { reading.cancel() }
        }
        let error = await withTaskCancellationHandler {
            await reading.value
        } onCancel: {
            reading.cancel()
            deadline.cancel()
        }
        watch.cancel()
        deadline.cancel()
        guard !Task.isCancelled else { return }
        if purchases == nil || error != nil {
            purchases = nil
            let late = DatabaseError(.busy, "the purchases were not read within \(Self.deadline) ms")
            state = .failed(PurchaseError(error ?? late))
        }
    }

    private func show(_ purchases: [Purchase]) async {
        let new = Set(purchases.map { ExactString($0.productID) }).subtracting(productIDs)
        if !new.isEmpty {
            productIDs.formUnion(new)
            openIDs.formUnion(new)
            await loadCachedProducts()
            productQuestions.send(openIDs)
        }
        guard !Task.isCancelled else { return }
        self.purchases = purchases
        rebuild()
    }

    // MARK: The entitlements and the products

    private func loadEntitlements() async {
        if entitlements.freshness == .notLoaded {
            _ = await timer.answer(within: Self.deadline) { [entitlements] in await entitlements.refresh() }
        }
        hasAskedForEntitlements = true
        rebuild()
    }

    private func loadCachedProducts() async {
        // Without the cache the list has ids until the store has answered.
        guard let cached = try? await repository?.getCachedProducts() else { return }
        for entry in cached where products[ExactString(entry.product.id)] == nil {
            products[ExactString(entry.product.id)] = KnownProduct(product: entry.product, isSold: false)
        }
    }

    private func entitlementsChanged() {
        if entitlements.freshness == .current, !openIDs.isEmpty { productQuestions.send(openIDs) }
        rebuild()
    }

    /// Asks the store about each product until it has answered, first as soon as the product is in the records.
    private func loadProducts() async {
        guard let repository else { return }
        for await question in productQuestions.stream(from: openIDs) {
            let ids = question.intersection(openIDs).map(\.string)
            guard !ids.isEmpty else { continue }
            let answer = await timer.answer(within: Self.deadline) { await repository.loadProductMetadata(ids) }
            for item in answer?.items ?? [] {
                products[ExactString(item.product.id)] = KnownProduct(
                    product: item.product, isSold: item.source == .store)
            }
            let answered = (answer?.items ?? []).filter { $0.source == .store }.map(\.product.id)
            openIDs.subtract((answered + (answer?.unknown ?? [])).map(ExactString.init))
            rebuild()
        }
    }

    // MARK: The state

    private func rebuild() {
        guard let purchases, hasAskedForEntitlements || entitlements.freshness != .notLoaded else { return }
        guard !purchases.isEmpty else {
            state = .empty(texts.text(PurchaseMessage.empty))
            return
        }
        let builder = PurchaseHistoryBuilder(entitlements.entitlements, products, texts)
        state = .loaded(builder.history(of: purchases))
    }

    // MARK: One purchase

    /// Returns everything about one purchase that a customer and support need; nil if it is not in the history.
    ///
    /// Call it again when ``state`` changes.
    ///
    /// - Throws: ``/PurchaseCore/PurchaseError`` with the `DatabaseError` as its cause.
    public func detail(of id: Purchase.ID) async throws(PurchaseError) -> PurchaseDetail? {
        do throws(DatabaseError) {
            guard let (purchase, content) = try await recorded(id) else { return nil }
            let builder = PurchaseHistoryBuilder(entitlements.entitlements, products, texts)
            // Whether the product is sold again depends on its other purchases, and nothing depends on the rest.
            let others = (purchases ?? []).filter {
                $0.id != id && $0.productID.isIdentical(to: purchase.productID)
            }
            let history = builder.history(of: [purchase] + others)
            guard let item = history.item(id) else { return nil }
            return PurchaseDetail(purchase, item, content.flatMap(RecordedContent.init), texts)
        } catch {
            throw PurchaseError(error)
        }
    }

    /// Returns a purchase with its signed content; without the content if it is not verified.
    private func recorded(_ id: Purchase.ID) async throws(DatabaseError) -> (Purchase, SignedContent?)? {
        try await timer.databaseAnswer { [records] () throws(DatabaseError) in
            guard let purchase = try await records.getPurchase(id) else { return nil }
            return (purchase, purchase.isVerified ? try await records.signedContent(of: id) : nil)
        }
    }

    /// Returns the log for support with the facts of a purchase: its product, its reference, and why it is not
    /// verified.
    ///
    /// - Returns: nil if there is no export, or if the purchase is not in the history.
    /// - Throws: Any error of the export.
    public func supportLog(for id: Purchase.ID) async throws -> [UInt8]? {
        let recorded = try await timer.databaseAnswer { [records] () throws(DatabaseError) in
            try await records.getPurchase(id)
        }
        guard let exportLog, let purchase = recorded else { return nil }
        var facts = [
            "product": purchase.productID, "transaction": LogRedaction.reference(ofTransaction: id.transactionID),
            "purchased": purchase.purchasedAt.description, "verification": "verified",
        ]
        if case .unverified(let code) = purchase.verification { facts["verification"] = code?.rawValue ?? "unverified" }
        return try await exportLog(facts)
    }
}

extension PurchaseHistory {
    fileprivate func item(_ id: Purchase.ID) -> PurchaseItem? {
        sections.lazy.flatMap(\.items).first { $0.id == id }
    }
}
