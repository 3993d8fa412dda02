internal import ReceiptTypes

extension SignatureTrials {
    /// Creates the trials of one input under the keys of apps; nil without keys.
    package convenience init?(_ keys: PlayKeyring) {
        guard !keys.packages.isEmpty else { return nil }
        self.init { signature, data in (try? keys.verifies(signature, over: data)) ?? false }
    }
}

extension PlayKeyring {
    /// Returns whether a signature in base64 is valid over data under the key of the app that the data names.
    fileprivate func verifies(_ signature: [UInt8], over data: [UInt8]) throws -> Bool {
        guard PlayValue.isSignature(signature),
            let package = try JSONDocument.value(of: data).object?["packageName"]?.text,
            let key = key(forPackage: package)?.usable, let bytes = PlayValue.signature(in: signature)
        else { return false }
        return try bytes.withRawSpan { (signature) throws(CryptoFault) in
            try data.withRawSpan { (data) throws(CryptoFault) in
                try key.verifyRSA(signature, over: data, hash: .sha1)
            }
        }
    }
}
