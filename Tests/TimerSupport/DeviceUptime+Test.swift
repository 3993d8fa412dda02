package import PurchaseCore
internal import ReceiptTypes

extension DeviceUptime {
    /// Returns the uptime of a device that is never restarted.
    package static func test(_ milliseconds: Int64) -> DeviceUptime {
        DeviceUptime(startID: UUIDText("test"), milliseconds: milliseconds)
    }
}
