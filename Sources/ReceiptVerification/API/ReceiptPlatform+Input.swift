extension ReceiptPlatform {
    /// Returns whether the platform issues receipts in the format of an input.
    ///
    /// The result is true for an unknown format, which has a failure of its own.
    func issues(_ input: ReceiptInput) -> Bool {
        switch (self, input) {
        case (.ios, .jws), (.ios, .appReceipt), (.android, .play), (_, .unrecognized), (_, .unsearched): true
        default: false
        }
    }
}
