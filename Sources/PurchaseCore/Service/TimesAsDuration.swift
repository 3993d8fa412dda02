internal import ReceiptTypes

// The times of the public interface as `Duration`, where the system has it. Each is stored in milliseconds.

@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
extension PurchaseDeadlines {
    /// Creates deadlines; without an argument, 30 seconds, ten minutes for a purchase, and two for a restore.
    public init(
        query: Duration = .seconds(30),
        purchase: Duration = .seconds(600),
        synchronization: Duration = .seconds(120),
        verification: Duration = .seconds(30),
        fulfilment: Duration = .seconds(30),
        ledger: Duration = .seconds(30)
    ) {
        self.init(
            queryMilliseconds: query.milliseconds, purchaseMilliseconds: purchase.milliseconds,
            synchronizationMilliseconds: synchronization.milliseconds,
            verificationMilliseconds: verification.milliseconds, fulfilmentMilliseconds: fulfilment.milliseconds,
            ledgerMilliseconds: ledger.milliseconds)
    }

    /// The deadline of a query: products, unfinished transactions, finishing, and all questions of one refresh.
    public var query: Duration {
        get { .milliseconds(queryMilliseconds) }
        set { queryMilliseconds = newValue.milliseconds }
    }

    /// The deadline of a purchase or a sheet, which includes the customer's answer to the store's dialogue.
    public var purchase: Duration {
        get { .milliseconds(purchaseMilliseconds) }
        set { purchaseMilliseconds = newValue.milliseconds }
    }

    /// The deadline of a restore, which includes the customer's password.
    public var synchronization: Duration {
        get { .milliseconds(synchronizationMilliseconds) }
        set { synchronizationMilliseconds = newValue.milliseconds }
    }

    /// The deadline of the verification of one signature.
    public var verification: Duration {
        get { .milliseconds(verificationMilliseconds) }
        set { verificationMilliseconds = newValue.milliseconds }
    }

    /// The deadline of one order to the fulfiller.
    public var fulfilment: Duration {
        get { .milliseconds(fulfilmentMilliseconds) }
        set { fulfilmentMilliseconds = newValue.milliseconds }
    }

    /// The deadline of one call to the ledger.
    public var ledger: Duration {
        get { .milliseconds(ledgerMilliseconds) }
        set { ledgerMilliseconds = newValue.milliseconds }
    }
}

@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
extension PurchaseService {
    /// The time after which a pending purchase counts as declined: one day.
    public static var approvalTimeout: Duration { .milliseconds(approvalTimeoutMilliseconds) }

    /// The time for which a claim lets one service alone hand a purchase over, unless it is renewed: one minute.
    public static var claimDuration: Duration { .milliseconds(claimDurationMilliseconds) }
}

@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
extension ProductSelection.Loaded {
    /// The time since the store returned the product; nil if the cache has no clock.
    public var age: Duration? { ageMilliseconds.map { .milliseconds($0) } }

    /// Creates a loaded product.
    public init(product: Product, age: Duration?) {
        self.init(product: product, ageMilliseconds: age?.milliseconds)
    }
}

@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
extension AbsentPurchase {
    /// The time between the first answer without a purchase and one that confirms the absence: one day.
    public static var confirmationDelay: Duration { .milliseconds(confirmationDelayMilliseconds) }
}

@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
extension ClockMarks {
    /// The clock difference that is taken for an error rather than a manipulation: one day.
    public static var tolerance: Duration { .milliseconds(toleranceMilliseconds) }

    /// The time after its end for which restarts alone do not end a purchase: 30 days.
    public static var restartAllowance: Duration { .milliseconds(restartAllowanceMilliseconds) }
}

@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
extension PlayFacts {
    /// The time within which Google Play expects an acknowledgement: three days.
    public static var acknowledgementTime: Duration { .milliseconds(acknowledgementTimeMilliseconds) }
}
