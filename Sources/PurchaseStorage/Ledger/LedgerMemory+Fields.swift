import PurchaseCore
import ReceiptTypes
import SQLite

// The memory is one sealed value: a list of records, each a name and the record's values.
extension LedgerMemory {
    static let fieldsName = "ledger memory"

    /// The memory as fields to seal.
    var fields: SealedFields {
        var values: [SQLiteValue] = [.text("clock"), Self.value(clock.device), Self.value(clock.signed)]
        if let assumed = clock.assumed { values += [.text("assumed"), Self.value(assumed)] }
        if let anchor = clock.anchor {
            values += [
                .text("anchor"), Self.value(anchor.time), .text(anchor.uptime.startID.rawValue),
                .integer(anchor.uptime.milliseconds),
            ]
        }
        for purchase in pending {
            values += [
                .text("pending"), .text(purchase.productID), Self.value(purchase.since),
                SQLiteValue(purchase.account?.rawValue), SQLiteValue(purchase.purchaseToken),
            ]
        }
        for absence in absences {
            values += [
                .text("absence"), .text(absence.transactionID), Self.value(absence.since),
                .integer(absence.isConfirmed ? 1 : 0), SQLiteValue(absence.uptime?.startID.rawValue),
                .integer(absence.uptime?.milliseconds ?? 0), .integer(absence.provedMilliseconds),
            ]
        }
        for listing in playListings {
            values += [
                .text("listing"), .text(listing.transactionID), Self.value(listing.date),
                .integer(listing.willAutoRenew ? 1 : 0), SQLiteValue(listing.productID),
                SQLiteValue(listing.plannedChange?.productID), Self.value(listing.plannedChange?.latestDate),
                .integer(listing.isReplaced ? 1 : 0),
            ]
        }
        return SealedFields(of: Self.fieldsName, values)
    }

    private static func value(_ date: Timestamp?) -> SQLiteValue { SQLiteValue(date?.millisecondsSince1970) }

    /// Reads the fields of a memory; nil if they are not ones that this version writes.
    init?(_ fields: FieldReader) {
        self.init()
        var values = fields
        while !values.isEmpty {
            switch values.text() {
            case "clock": clock = ClockMarks(device: values.timestamp(), signed: values.timestamp())
            case "assumed":
                guard let time = values.timestamp() else { return nil }
                clock.assumed = time
            case "anchor":
                guard let time = values.timestamp(), let startID = values.text(), let uptime = values.integer()
                else { return nil }
                clock.anchor = ClockMarks.Anchor(
                    time: time, uptime: DeviceUptime(startID: UUIDText(startID), milliseconds: uptime))
            case "pending":
                guard let productID = values.text(), let since = values.timestamp() else { return nil }
                let account = values.text().map { UUIDText($0) }
                pending.append(
                    PendingPurchase(
                        productID: productID, since: since, account: account, purchaseToken: values.text()))
            case "absence":
                guard let id = values.text(), let since = values.timestamp(), let isConfirmed = values.integer()
                else { return nil }
                let startID = values.text()
                guard let uptime = values.integer(), let proved = values.integer() else { return nil }
                absences.append(
                    AbsentPurchase(
                        transactionID: id, since: since, isConfirmed: isConfirmed != 0,
                        uptime: startID.map { DeviceUptime(startID: UUIDText($0), milliseconds: uptime) },
                        provedMilliseconds: proved))
            case "listing":
                guard let id = values.text(), let date = values.timestamp(), let renews = values.integer()
                else { return nil }
                let productID = values.text()
                let (nextProductID, latestDate) = (values.text(), values.timestamp())
                guard let isReplaced = values.integer() else { return nil }
                var change: PlayListing.PlannedChange?
                if let nextProductID, let latestDate {
                    change = PlayListing.PlannedChange(productID: nextProductID, latestDate: latestDate)
                }
                playListings.append(
                    PlayListing(
                        transactionID: id, date: date, willAutoRenew: renews != 0, productID: productID,
                        plannedChange: change, isReplaced: isReplaced != 0))
            default: return nil
            }
        }
    }
}
