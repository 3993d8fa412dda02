internal import ReceiptTypes

extension BatchSource {
    /// Reads the beginning of a source, and returns the names of its columns, or of the members of its first record.
    package func firstNames() -> [String] {
        var reader = BlockReader(self, recordLimit: 1_048_576, isImmediate: true)
        do {
            let block = try reader.next()
            if let header = reader.header { return header.names.map { String(decoding: $0, as: UTF8.self) } }
            guard let block, case .records(let bytes) = block.content else { return [] }
            var records = BatchRecords(bytes, of: block)
            guard let (range, _, _) = records.next() else { return [] }
            var names = FieldNames()
            let document = try JSONDocument.readSurroundings(
                unsafe bytes.span.bytes.extracting(range), maximumDepth: Budget.payloadDepth, allowsDuplicates: true)
            names.add(of: document.root)
            return names.all
        } catch {
            return (error as? BatchError)?.names ?? []
        }
    }
}
