internal import PurchaseCore
internal import ReceiptTypes

/// A value with a text that differs if one byte of the value does; values are compared by it and reported with it.
protocol Rendered {
    var rendering: String { get }
}

extension String: Rendered {
    /// The text in quotation marks, in ASCII, so that two texts which look alike are told apart.
    var rendering: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case " "..."~": text.unicodeScalars.append(scalar)
            default: text += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return text + "\""
    }
}

extension Optional: Rendered where Wrapped: Rendered {
    var rendering: String { map(\.rendering) ?? "nil" }
}

extension Array: Rendered where Element: Rendered {
    var rendering: String { "[" + map(\.rendering).joined(separator: ", ") + "]" }
}

extension Int: Rendered {
    var rendering: String { "\(self)" }
}

extension Timestamp: Rendered {
    var rendering: String { "\(millisecondsSince1970) ms" }
}

extension UUIDText: Rendered {
    var rendering: String { rawValue.rendering }
}

extension FulfilledAmount {
    /// One item of the usual product.
    static let one = Self.granted(productID: "coins", quantity: 1)
}

extension FulfilledAmount: Rendered {
    var rendering: String {
        switch self {
        case .granted(let productID, let quantity): "granted \(quantity) of \(productID.rendering)"
        case .revoked: "revoked"
        }
    }
}

extension RecordOutcome: Rendered {
    var rendering: String {
        switch self {
        case .inserted: "inserted"
        case .merged: "merged"
        case .unchanged: "unchanged"
        case .conflict(let conflict): "conflict \(conflict.rawValue)"
        }
    }
}

extension SignedTransaction: Rendered {
    var rendering: String {
        let content =
            switch self.content {
            case .jws(let text): "jws \(text.rendering)"
            case .play(let purchase): "play \(purchase.data.rendering) \(purchase.signature.rendering)"
            case .appReceipt(let receipt): "app receipt \(receipt.base64.rendering)"
            }
        return "\(content) of \(transactionID.rendering) \(productID.rendering) objection \(objection.rendering)"
    }
}

extension JournalEntry: Rendered {
    var rendering: String {
        "(\(stage) from \(source.rawValue) at \(observedAt.rendering), quarantine "
            + "\((quarantineReason?.rawValue).rendering), account \(account.rendering), \(transaction.rendering))"
    }
}

extension PurchaseKey: Rendered {
    var rendering: String { description.rendering }
}

extension FulfilmentClaim: Rendered {
    /// The claim without its number, which a journal chooses.
    var rendering: String {
        "(\(key.rendering) from \(start.rendering) to \(end.rendering)"
            + "\(followsUnanswered ? ", after an unanswered claim" : ""))"
    }
}

extension ClockMarks: Rendered {
    var rendering: String {
        "device \(device.rendering), signed \(signed.rendering), assumed \(assumed.rendering), anchor "
            + (anchor.map {
                "\($0.time.rendering) at \($0.uptime.milliseconds) after \($0.uptime.startID.rendering)"
            } ?? "nil")
    }
}

extension JournalMemory: Rendered {
    var rendering: String {
        let pending = self.pending.map {
            "(\($0.productID.rendering) since \($0.since.rendering) by \($0.account.rendering)"
                + " token \($0.purchaseToken.rendering))"
        }
        let absences = self.absences.map {
            "(\($0.transactionID.rendering) since \($0.since.rendering) \($0.isConfirmed ? "confirmed" : "open"),"
                + " \($0.provedMilliseconds) to \(($0.uptime?.milliseconds).map(String.init) ?? "nil") after"
                + " \(($0.uptime?.startID.rawValue).rendering))"
        }
        let listings = playListings.map {
            "(\($0.transactionID.rendering) at \($0.date.rendering) \($0.willAutoRenew ? "renews" : "ends")"
                + " as \($0.productID.rendering), then \(($0.plannedChange?.productID).rendering)"
                + " by \(($0.plannedChange?.latestDate).rendering)\($0.isReplaced ? ", replaced" : ""))"
        }
        return "(\(clock.rendering), pending [\(pending.joined(separator: ", "))]"
            + ", absences [\(absences.joined(separator: ", "))], listings [\(listings.joined(separator: ", "))])"
    }
}

extension String {
    /// The part of a text around its first difference from another one, at most 400 characters.
    func excerpt(comparedTo other: String) -> String {
        guard utf8.count > 400 else { return self }
        let common = zip(utf8, other.utf8).prefix { $0 == $1 }.count
        let start = max(0, common - 200)
        // Renderings are ASCII, so each byte is a character.
        let part = String(decoding: utf8.dropFirst(start).prefix(400), as: UTF8.self)
        return (start > 0 ? "\u{2026}" : "") + part + (utf8.count > start + 400 ? "\u{2026}" : "")
    }
}

/// An observation that differs from what a rule promises.
struct Mismatch: Error {
    /// What was done.
    let situation: String
    let expected: String
    let found: String

    init(_ situation: String, expected: String, found: String) {
        self.situation = situation
        self.expected = expected
        self.found = found
    }
}
