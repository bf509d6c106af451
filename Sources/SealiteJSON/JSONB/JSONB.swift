/// JSONB, the binary form of JSON in which the bodies of documents are stored (Documentation/DocumentFormat.md §2.2).
package enum JSONB {
    /// Returns the lossless JSONB of a JSON text: numbers keep their digits, members keep their order, and ambiguous
    /// texts, in which an object contains a name twice or a surrogate is unpaired, are refused.
    ///
    /// - Parameters:
    ///   - text: the text in UTF-8.
    ///   - requiresObject: whether the root must be an object, as in documents.
    /// - Returns: the bytes.
    /// - Throws: `JSONError`.
    package static func parse(_ text: [UInt8], requiresObject: Bool = true) throws(JSONError) -> [UInt8] {
        let span = text.span
        var scanner = JSONScanner(.documents)
        var sink = JSONBSink(capacity: span.count + span.count / 8 + 16)
        scanner.passSpace(span)
        if requiresObject, scanner.current(span) != 0x7B {
            throw scanner.failure("a document is a JSON object, but this is not one", .wrongKind)
        }
        try scanner.value(span, into: &sink, guess: span.count &* 7 / 8)
        try scanner.end(span)
        return sink.output.bytes
    }

    /// The maximum nesting depth of arrays and objects in a document's stored body, the outermost object included.
    package static var maximumDepth: Int { JSONRules.documents.maximumDepth }
}
