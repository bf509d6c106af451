public import SealiteValues

extension Schema {
    /// The maximum number of bytes of a JSON Schema's text.
    public static let maximumTextLength = 4 << 20

    /// Parses the text of a JSON Schema, or of a file of relationships. Nesting and size are bounded, and names must be
    /// unique in an object.
    ///
    /// - Parameter text: the text in UTF-8.
    /// - Returns: the document.
    /// - Throws: `SchemaIssues` with one issue, `badJSON`, with its line and column.
    public static func document(ofText text: [UInt8]) throws(SchemaIssues) -> MongoDocument {
        guard text.count <= maximumTextLength else {
            throw SchemaIssues([
                SchemaIssue(
                    .badJSON, position: .init(line: 1, column: 1), "the text has more than \(maximumTextLength) bytes")
            ])
        }
        do {
            if case .document(let document) = try BSON(extendedJSON: text, wrappers: .lenient) { return document }
        } catch {
            throw SchemaIssues([
                SchemaIssue(.badJSON, position: .init(ofByte: error.offset, in: text), error.reason)
            ])
        }
        throw SchemaIssues([
            SchemaIssue(.badJSON, position: .init(line: 1, column: 1), "the text must be a JSON object")
        ])
    }
}

extension SchemaIssue.Position {
    /// Creates the position of the byte at an offset in a text.
    fileprivate init(ofByte offset: Int, in text: [UInt8]) {
        let before = text.prefix(max(0, offset))
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        line = before.count { $0 == UInt8(ascii: "\n") } + 1
        // Continuation bytes of a scalar don't count.
        column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
    }
}
