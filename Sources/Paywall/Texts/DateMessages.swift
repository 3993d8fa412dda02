internal import ReceiptTypes

// The words of a date.

/// The order of the parts of a date.
enum DateMessage: String, CustomerMessage {
    case day = "date.day"

    var texts: [String] {
        switch self {
        case .day: ["{month} {day}, {year}", "{year}年{month}{day}日", "{year}年{month}{day}日"]
        }
    }
}

/// The name of a month; the raw value ends in its number.
enum MonthMessage: String, CustomerMessage {
    case january = "date.month-01"
    case february = "date.month-02"
    case march = "date.month-03"
    case april = "date.month-04"
    case may = "date.month-05"
    case june = "date.month-06"
    case july = "date.month-07"
    case august = "date.month-08"
    case september = "date.month-09"
    case october = "date.month-10"
    case november = "date.month-11"
    case december = "date.month-12"

    var texts: [String] {
        switch self {
        case .january: ["January", "1月", "1月"]
        case .february: ["February", "2月", "2月"]
        case .march: ["March", "3月", "3月"]
        case .april: ["April", "4月", "4月"]
        case .may: ["May", "5月", "5月"]
        case .june: ["June", "6月", "6月"]
        case .july: ["July", "7月", "7月"]
        case .august: ["August", "8月", "8月"]
        case .september: ["September", "9月", "9月"]
        case .october: ["October", "10月", "10月"]
        case .november: ["November", "11月", "11月"]
        case .december: ["December", "12月", "12月"]
        }
    }
}

extension PaywallTexts {
    /// Returns a day in UTC in the words of the catalog, such as `November 22, 2026`.
    func writtenDay(of date: Timestamp) -> String {
        let iso = date.description.prefix(10)
        let parts = iso.split(separator: "-")
        guard parts.count == 3, let month = MonthMessage(rawValue: "date.month-\(parts[1])"), let day = Int(parts[2])
        else { return String(iso) }
        return text(DateMessage.day, ["year": String(parts[0]), "month": text(month), "day": "\(day)"])
    }
}
