/// The rules for names and ids, the same as those of Couchbase Lite and Sync Gateway.
enum Names {
    /// The name of the default scope, which always exists.
    static let defaultScope = "_default"
    /// The longest scope or collection name, in characters.
    static let maximumNameLength = 251
    /// The longest document id, in bytes.
    static let maximumIDByteCount = 240

    /// Checks the name of a scope or collection: `_default`, or 1 to 251 of the characters A-Z, a-z, 0-9, `_`, `-` and
    /// `%`, of which the first is neither `_` nor `%`.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - kind: the word for the named thing in an error, `scope` or `collection`.
    /// - Throws: `badName`.
    static func check(_ name: String, kind: String) throws(DatabaseError) {
        if name == defaultScope { return }
        guard !name.isEmpty, name.utf8.count <= maximumNameLength else {
            throw DatabaseError(
                .badName, "a \(kind) name has 1 to \(maximumNameLength) bytes, not \(name.utf8.count)")
        }
        guard let first = name.utf8.first, first != 0x5F, first != 0x25 else {
            throw DatabaseError(.badName, "a \(kind) name can't start with _ or %, except the name _default")
        }
        let isAllowed = name.utf8.allSatisfy { byte in
            switch byte {
            case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x5F, 0x2D, 0x25: true
            default: false
            }
        }
        guard isAllowed else {
            throw DatabaseError(
                .badName,
                "a \(kind) name can contain only the letters A to Z and a to z, digits from 0 to 9, _, - and %")
        }
    }

    /// Checks a document id: 1 to 240 bytes of UTF-8 without control characters, not starting with `_`.
    ///
    /// - Throws: `badDocumentID`.
    @inline(__always)
    static func checkID(_ id: String) throws(DatabaseError) {
        let utf8 = id.utf8
        guard let first = utf8.first, utf8.count <= maximumIDByteCount else {
            throw DatabaseError(
                .badDocumentID, "a document id has 1 to \(maximumIDByteCount) bytes, not \(utf8.count)")
        }
        guard first != 0x5F else { throw DatabaseError(.badDocumentID, "a document id can't start with _") }
        for byte in utf8 where byte < 0x20 || byte == 0x7F {
            throw DatabaseError(.badDocumentID, "a document id can't contain control characters")
        }
    }

    /// Returns whether a text is a document id (``checkID(_:)``).
    static func isID(_ text: String) -> Bool {
        do throws(DatabaseError) { try checkID(text) } catch { return false }
        return true
    }
}
