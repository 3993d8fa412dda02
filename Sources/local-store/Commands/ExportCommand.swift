internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// `export`: writes the signed receipts into a folder, or to standard output as JSON Lines.
struct ExportCommand {
    // App receipts are left out, because their root is another one.
    private static let kinds: [ReceiptKind] = [
        .transaction, .renewalInfo, .notification, .appTransaction, .playPurchase,
    ]

    let session: Session

    func run() throws {
        let folder = try session.arguments.checkedOperands(atMost: 1).first
        let named = session.arguments.values(of: .kind).compactMap(ReceiptKind.init(name:))
        let opened = try OpenedStore(session, forWriting: false)
        let export = StoreExport(
            store: opened.store, kinds: Set(named.isEmpty ? Self.kinds : named), customer: try opened.namedCustomer()
        )
        if let folder { try write(export, to: folder) } else { try write(export) }
        session.messages.warnIfClockIsAhead(opened.state.now)
    }

    private func write(_ export: StoreExport) throws {
        let progress = Progress(session, counting: "receipts")
        defer { progress.clear() }
        var count = 0
        try export.forEach { receipt in
            try session.writeLine(receipt.object, as: .receipt)
            count += 1
            progress.show(count)
        }
    }

    private func write(_ export: StoreExport, to path: String) throws {
        guard !session.arguments.mentions(.output) else {
            throw UsageError("--output cannot be used with a folder", hint: "leave one of them out")
        }
        Interruption.beginDeferring()
        var folder = try ExportFolder(path)
        let progress = Progress(session, counting: "receipts")
        var count = 0
        do {
            try folder.write(export.store.signer.rootCertificate, as: "root.der")
            try folder.write([UInt8](export.store.signer.rootCertificatePEM.utf8), as: "root.pem")
            try folder.write([UInt8]((try export.store.signer.playPublicKey + "\n").utf8), as: "play-key.txt")
            if export.kinds.contains(.appReceipt) {
                try folder.write(export.store.signer.appReceiptRootCertificate, as: ExportFolder.appReceiptRoot)
            }
            try export.forEach { receipt in
                guard !Interruption.isPending else { throw UsageError("interrupted") }
                let (name, text) = receipt.file
                try folder.write([UInt8](text.utf8), as: "receipts/\(name)")
                count += 1
                progress.show(count)
            }
            try folder.finish()
            Interruption.endDeferring()
        } catch {
            progress.clear()
            folder.discard()
            Interruption.exitIfPending()
            throw error
        }
        progress.clear()
        try session.output.writeLine("wrote \(count) receipts to \(Escaped(path))/receipts")
        try session.output.flush()
        let otherRoot: Escaped =
            export.kinds.contains(.appReceipt) ? "--root \(Escaped(path))/\(ExportFolder.appReceiptRoot) " : ""
        session.messages.note(
            "hint: verify them with verify-receipt batch \(Escaped(path))/receipts --root \(Escaped(path))/root.der "
                + otherRoot + "--play-key \(Escaped(export.store.state.app.bundleID))=\(Escaped(path))/play-key.txt"
        )
    }
}
