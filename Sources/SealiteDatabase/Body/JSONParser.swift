internal import SealiteJSON

/// Parses the JSON text of bodies and reports failures as a `DatabaseError`.
enum JSONParser {
    /// The maximum depth of nested arrays and objects, counting the outermost one.
    static var maximumDepth: Int { JSONB.maximumDepth }

    /// Returns the JSONB of `text`. With `requiresObject`, the root must be an object, as a document's root is.
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
