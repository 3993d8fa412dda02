/// What is outside of the ledger and the services, in 32 bits: what the store and the app's server know, and the faults
/// and decisions that are still to come.
struct World: Hashable {
    /// What the app's server has credited to the customer.
    enum Amount: UInt32 {
        case nothing
        case granted
        case revoked
    }

    /// The faults and decisions that happen a limited number of times.
    enum Budget: UInt32, CaseIterable {
        /// A service is killed.
        case kills
        /// Something is done, and its answer is lost or comes late.
        case losses
        /// Something is done, and its answer comes after something else that the service learns; an order takes longer
        /// than its deadline; or the claim of a service runs out although it is not killed.
        case delays
        /// Something fails without being done.
        case failures
        /// The customer signs out, or another one signs in.
        case departures
        /// The store signs a version of a purchase again.
        case signings
        /// The store refunds a purchase.
        case refunds
        /// The store reverses a refund.
        case reversals
        /// The store delivers to a service what that one is at work on.
        case redeliveries

        fileprivate var shift: UInt32 {
            switch self {
            case .kills, .losses, .delays, .failures, .departures: 16 + rawValue * 2
            case .signings, .refunds, .reversals: 21 + rawValue
            case .redeliveries: 31
            }
        }

        /// The number of bits.
        fileprivate var width: UInt32 {
            switch self {
            case .kills, .losses, .delays, .failures, .departures: 2
            case .signings, .refunds, .reversals, .redeliveries: 1
            }
        }

        /// The largest number that can be stored.
        var maximum: UInt32 { 1 << width - 1 }
    }

    var bits: UInt32 = 0

    private func field(_ shift: UInt32, _ width: UInt32) -> UInt32 { bits >> shift & (1 << width - 1) }

    private mutating func setField(_ shift: UInt32, _ width: UInt32, _ value: UInt32) {
        bits = bits & ~((1 << width - 1) << shift) | value << shift
    }

    /// How many times something can still happen.
    subscript(budget: Budget) -> UInt32 {
        get { field(budget.shift, budget.width) }
        set { setField(budget.shift, budget.width, min(newValue, budget.maximum)) }
    }

    // MARK: Purchases

    /// The latest version of a purchase; nil before its sale.
    func version(of item: Item) -> Sample.Version? { Sample.Version(rawValue: field(item.shift, 3)) }

    /// Sells a product, or signs a version of its purchase, which is unfinished then.
    mutating func sign(_ version: Sample.Version, of item: Item) {
        setField(item.shift, 3, version.rawValue)
        self[isUnfinished: item] = true
    }

    /// Finishes a version of a purchase; a later one stays unfinished.
    mutating func finish(_ sample: Sample) {
        let version = version(of: sample.item)
        guard version == sample.version || version == .signedAgain && sample.version == .sold else { return }
        self[isUnfinished: sample.item] = false
    }

    /// Whether the store waits for the latest version to be finished.
    subscript(isUnfinished item: Item) -> Bool {
        get { field(item.shift + 3, 1) == 1 }
        set { setField(item.shift + 3, 1, newValue ? 1 : 0) }
    }

    /// What was credited last for a purchase.
    subscript(credited item: Item) -> Amount {
        get { Amount(rawValue: field(item.shift + 5, 2)) ?? .nothing }
        set { setField(item.shift + 5, 2, newValue.rawValue) }
    }

    /// Whether the last order of a purchase may be repeated: a service was killed, or an answer was lost since.
    subscript(mayRepeat item: Item) -> Bool {
        get { field(item.shift + 7, 1) == 1 }
        set { setField(item.shift + 7, 1, newValue ? 1 : 0) }
    }

    /// Whether the claim of a service has run out that was not killed, or the ledger's answer to it was lost. From then
    /// on, either of two services may be the last one to have given an order, so each may repeat its own.
    subscript(isContested item: Item) -> Bool {
        get { field(29 + UInt32(item.rawValue), 1) == 1 }
        set { setField(29 + UInt32(item.rawValue), 1, newValue ? 1 : 0) }
    }
}

extension Item {
    fileprivate var shift: UInt32 { UInt32(rawValue) * 8 }
}
