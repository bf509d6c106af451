internal import SealiteJSON

/// Converts stored bodies to JSON text, and reports failures as `DatabaseError`s.
enum JSONSerializer {
    /// Returns the JSON text of a JSONB element.
    ///
    /// - Throws: `corruptData` if the bytes aren't JSONB or are nested deeper than a document may be.
    static func text(of bytes: [UInt8], order: JSONBSerializer.Order = .stored) throws(DatabaseError) -> [UInt8] {
        try mapped { () throws(JSONError) in try JSONBSerializer.text(of: bytes.span, order: order) }
    }

    /// Runs a function that reads a stored body, and converts its errors.
    ///
    /// - Throws: `corruptData` if the bytes aren't JSONB or are nested deeper than a document may be.
    @inline(__always)
    static func mapped<Result>(_ body: () throws(JSONError) -> Result) throws(DatabaseError) -> Result {
        do throws(JSONError) {
            return try body()
        } catch {
            throw DatabaseError(
                .corruptData,
                "the body of a document is not valid JSONB, or is nested deeper than \(JSONParser.maximumDepth) levels")
        }
    }
}
