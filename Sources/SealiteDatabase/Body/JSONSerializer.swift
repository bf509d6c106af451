internal import SealiteJSON

/// JSON text out of stored bodies, with failures as this module names them.
enum JSONSerializer {
    /// The JSON text of a JSONB element.
    ///
    /// - Throws: `corruptData` when the bytes are not JSONB.
    static func text(of bytes: [UInt8], order: JSONBSerializer.Order = .stored) throws(DatabaseError) -> [UInt8] {
        try mapped { () throws(JSONError) in try JSONBSerializer.text(of: bytes.span, order: order) }
    }

    /// Runs what reads a stored body.
    ///
    /// - Throws: `corruptData` when the bytes are not JSONB.
    @inline(__always)
    static func mapped<Result>(_ body: () throws(JSONError) -> Result) throws(DatabaseError) -> Result {
        do throws(JSONError) {
            return try body()
        } catch {
            throw DatabaseError(.corruptData, "a stored document body is not JSONB")
        }
    }
}
