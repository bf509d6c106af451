internal import SealiteJSON
internal import SealiteRevisions

/// Reads the lists of rows in `changes` and `proposeChanges` and in the replies to them.
enum MessageList {
    /// Reads the array in the body of a message, and calls `item` to read each element. An empty body and `null` are
    /// empty arrays.
    static func read(
        _ body: [UInt8], limits: MessageLimits, _ item: (inout JSONReader) throws(MessageError) -> Void
    ) throws(MessageError) {
        guard !body.isEmpty else { return }
        var reader = JSONReader(body)
        if try reader.peek() == .null {
            _ = try reader.rawValue()
        } else {
            try reader.array(limit: limits.rowCount, item)
        }
        try reader.end()
    }

    static func documentID(_ reader: inout JSONReader, _ limits: MessageLimits) throws(MessageError) -> String {
        let id = try reader.string()
        guard !id.isEmpty else { throw MessageError(.badProperty, "a document ID is empty") }
        guard id.utf8.count <= limits.documentIDByteCount else {
            throw MessageError(.tooLarge, "a document ID has more than \(limits.documentIDByteCount) bytes")
        }
        return id
    }

    /// Reads the body size in a row, in bytes. The size is informative, so an invalid size is ignored: the result is
    /// then nil.
    static func size(_ reader: inout JSONReader) throws(MessageError) -> UInt64? {
        UInt64(String(decoding: try reader.rawValue(), as: UTF8.self))
    }
}
