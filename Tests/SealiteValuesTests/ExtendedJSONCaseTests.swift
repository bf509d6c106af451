import SealiteBase
import SealiteJSON
import SealiteValues
import Testing

@Suite("the corpus of BSON and Extended JSON")
struct ExtendedJSONCaseTests {
    @Test("all cases of extjson.json pass")
    func corpus() throws {
        try CaseFile("Mongo/extjson.json").run(group: { $0.text("src") ?? "?" }, Self.check)
    }

    private static func check(_ entry: MongoDocument) -> String? {
        if entry.flag("parseError") { return refusal(of: entry.text("string") ?? "", type: entry.text("type") ?? "") }
        guard let bytes = Hexadecimal.bytes(of: entry.text("bson") ?? "") else { return "the bytes can't be read" }
        if entry.flag("decodeError") {
            return (try? MongoDocument(bsonBytes: bytes)) == nil ? nil : "the bytes are taken"
        }
        do {
            return try conversions(of: entry, entry.text("canonical") ?? "", bytes)
        } catch {
            return "\(error)"
        }
    }

    /// Checks that a text is refused: for the type of decimals a number, for all others a document.
    private static func refusal(of text: String, type: String) -> String? {
        guard type != "0x13" else { return Decimal128(text) == nil ? nil : "the decimal is taken" }
        return (try? MongoDocument(extendedJSON: text)) == nil ? nil : "the text is taken"
    }

    private static func conversions(of entry: MongoDocument, _ canonical: String, _ bytes: [UInt8]) throws -> String? {
        let document = try MongoDocument(extendedJSON: canonical)
        guard try compact(document.extendedJSON(.canonical)) == compact(canonical) else {
            return "the canonical text is \(document.extendedJSON(.canonical))"
        }
        let decoded = try MongoDocument(bsonBytes: bytes)
        guard try compact(decoded.extendedJSON(.canonical)) == compact(canonical) else {
            return "the bytes are of another document"
        }
        if !entry.flag("lossy") {
            guard decoded == document, try document.bsonBytes() == bytes else { return "the document has other bytes" }
        }
        if let other = entry.text("degenerateBSON").flatMap(Hexadecimal.bytes(of:)) {
            guard try MongoDocument(bsonBytes: other) == document else { return "the degenerate bytes read otherwise" }
        }
        if let relaxed = entry.text("relaxed") {
            guard try compact(document.extendedJSON(.relaxed)) == compact(relaxed) else {
                return "the relaxed text is \(document.extendedJSON(.relaxed))"
            }
        }
        if let degenerate = entry.text("degenerate"), try MongoDocument(extendedJSON: degenerate) != document {
            guard entry.flag("lossy") else { return "the degenerate text reads otherwise" }
        }
        return nil
    }

    /// A JSON text without white space, with the escapes that Sealite writes.
    private static func compact(_ text: String) throws -> String {
        let stored = try JSONB.parse(Array(text.utf8), requiresObject: false)
        return String(decoding: try JSONBSerializer.text(of: stored.span), as: UTF8.self)
    }
}
