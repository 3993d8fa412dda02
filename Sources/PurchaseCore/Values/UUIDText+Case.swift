internal import ReceiptTypes

extension UUIDText {
    /// The UUID as the App Store writes it, so that one is the same however it is written; another text as it is.
    var inLowerCase: UUIDText { isUUID ? UUIDText(rawValue.lowercased()) : self }
}
