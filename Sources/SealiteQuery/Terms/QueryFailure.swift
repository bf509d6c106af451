internal import SealiteDatabase
internal import SealiteQueryLanguage

/// An error in a query whose syntax is valid: an unknown name, or a function in a position where it isn't allowed.
struct QueryFailure: Error {
    let reason: String
    let hint: String?
    let position: Tree.Position

    init(_ reason: String, hint: String? = nil, at position: Tree.Position = .none) {
        self.reason = reason
        self.hint = hint
        self.position = position
    }

    /// Returns the error `invalidQuery` for the caller, whose reason begins with the line and column if the query's
    /// text is given.
    func error(in text: String?) -> DatabaseError {
        guard let text, let offset = position.offset else { return DatabaseError(.invalidQuery, reason, hint: hint) }
        assert(offset >= 0 && offset <= text.utf8.count, "the position is one of the text")
        let (line, column) = QuerySyntaxError.place(of: offset, in: Array(text.utf8))
        return DatabaseError(.invalidQuery, "line \(line), column \(column): \(reason)", hint: hint)
    }
}

extension DatabaseError {
    /// Creates the error `invalidQuery` for a syntax error.
    init(_ error: QuerySyntaxError) {
        var hints = [error.hint].compactMap { $0 }
        if let nearest = error.nearest { hints.insert("did you mean \(nearest)?", at: 0) }
        self.init(
            .invalidQuery, "line \(error.line), column \(error.column): \(error.reason)",
            hint: hints.isEmpty ? nil : hints.joined(separator: " "), underlying: error)
    }
}
