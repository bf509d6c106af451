internal import SealiteJSON

/// JSON text of bodies, with failures as this module names them.
enum JSONParser {
    /// The deepest nesting of arrays and objects, the outermost one counted.
    static var maximumDepth: Int { JSONB.maximumDepth }

    /// The JSONB of `text`. Where `requiresObject`, the root must be an object, as a document's is.
    ///
    /// - Throws: `invalidJSON` with the offset in bytes, never with the text.
    static func parse(_ text: [UInt8], requiresObject: Bool = true) throws(DatabaseError) -> [UInt8] {
        do throws(JSONError) {
            return try JSONB.parse(text, requiresObject: requiresObject)
        } catch {
            throw DatabaseError(.invalidJSON, "invalid JSON at byte \(error.offset): \(error.reason)")
        }
    }
}
