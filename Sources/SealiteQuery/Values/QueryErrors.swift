internal import SealiteDatabase

/// Translates errors of SQLite that have another meaning for the author of a query.
enum QueryErrors {
    static func explained(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError, error.code == .unexpected else { return error }
        let reason = error.reason
        if reason.contains("datatype mismatch") {
            return DatabaseError(.invalidQuery, "the value of LIMIT or OFFSET isn't an integer", underlying: error)
        }
        if reason.contains("parser stack overflow") || reason.contains("Expression tree is too large") {
            return DatabaseError(
                .invalidQuery,
                "the query is nested too deeply: aggregates, conditions and subqueries can be nested in each other "
                    + "about thirty levels deep",
                hint: "move a part of it into a WITH clause: WITH name AS (SELECT ...)", underlying: error)
        }
        if reason.contains("column index out of range") {
            return DatabaseError(
                .invalidQuery,
                "the column number that SNIPPET() or HIGHLIGHT() was given isn't that of a column of the full-text index",
                hint: "the first column has the number 0", underlying: error)
        }
        if reason.contains("string or blob too big") {
            return DatabaseError(
                .invalidQuery,
                "a text or array of the query has more than 1,000,000,000 bytes, or its values take too much memory together",
                hint: "select parts of the values, or values of fewer documents at a time", underlying: error)
        }
        return DatabaseError(
            .invalidQuery, fullTextFailure(reason) ?? "the query can't be run: \(reason)", underlying: error)
    }

    /// Returns the reason why a search text of MATCH is invalid, from the error of a running query; nil for another
    /// error.
    private static func fullTextFailure(_ reason: String) -> String? {
        guard let start = reason.firstRange(of: TextIndex.failurePrefix)?.lowerBound,
            // The message ends with SQLite's error code in parentheses.
            let end = reason.lastIndex(of: "("), start < end
        else { return nil }
        return String(reason[start..<end].dropLast())
    }

    /// Returns whether an error means that a statement failed because a table doesn't exist any more: an index that it
    /// uses was deleted after the translation.
    static func isStale(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return error.code == .unexpected
            && IndexKind.prefixes.contains { error.reason.contains("no such table: \($0)") }
    }
}
