internal import Paywall
internal import PurchaseCore

/// Logs the events of the paywall.
struct LoggedAnalytics: PaywallAnalytics {
    let log: CoreLog

    func track(_ event: PaywallEvent) {
        let properties = event.properties.sorted { $0.key < $1.key }.map { "\($0.key) \(Self.text($0.value))" }
        log.add(.analytics, ([event.name.rawValue] + properties).joined(separator: ", "))
    }

    private static func text(_ value: AnalyticsEvent.PropertyValue) -> String {
        switch value {
        case .text(let text): text
        default: "\(value)"
        }
    }
}
