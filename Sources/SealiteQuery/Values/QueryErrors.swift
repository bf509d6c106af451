internal import SealiteDatabase
internal import SealiteFunctions

/// Translates errors of SQLite that have another meaning for the author of a query.
enum QueryErrors {
    /// What errors mean in whose reasons one of the phrases occurs.
    private static let meanings: [(phrases: [String], reason: String, hint: String?)] = [
        (["datatype mismatch"], "the value of LIMIT or OFFSET isn't an integer", nil),
        (
            ["parser stack overflow", "Expression tree is too large"],
            "the query is nested too deeply: aggregates, conditions and subqueries can be nested in each other "
                + "about thirty levels deep",
            "move a part of it into a WITH clause: WITH name AS (SELECT ...)"
        ),
        (
            ["column index out of range"],
            "the column number that SNIPPET() or HIGHLIGHT() was given isn't that of a column of the full-text index",
            "the first column has the number 0"
        ),
        (
            ["string or blob too big"],
            "a text or array of the query has more than 1,000,000,000 bytes, or its values take too much memory together",
            "select parts of the values, or values of fewer documents at a time"
        ),
    ]

    static func explained(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError, error.code == .unexpected else { return error }
        let known = meanings.first { $0.phrases.contains { error.reason.contains($0) } }
        let reason =
            known?.reason ?? failure(TextIndex.failurePrefix, error.reason)
            ?? failure(SearchRequest.failurePrefix, error.reason) ?? "the query can't be run: \(error.reason)"
        return DatabaseError(.invalidQuery, reason, hint: known?.hint, underlying: error)
    }

    /// Returns the reason why a search text or a vector is invalid, which begins with `prefix`, from the error of a running
    /// query; nil for another error.
    private static func failure(_ prefix: String, _ reason: String) -> String? {
        guard let start = reason.firstRange(of: prefix)?.lowerBound,
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
