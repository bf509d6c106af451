import SealiteDatabase
import SealiteQuery

/// A live query: its result, followed by its changes.
struct LiveSession {
    let query: SealiteQuery.Query
    /// The path of the database's file.
    let path: String
    /// The column that identifies rows; nil for the column `id` if its values are unique, or otherwise the whole row.
    let keyColumn: String?
    let printsJSON: Bool

    /// Writes results until a signal ends the command.
    func run() throws {
        guard try !query.changesDocuments else {
            throw ToolError.usage(
                "a statement that changes documents can't be watched", hint: "--live takes a query, such as SELECT")
        }
        let place = try CommandEnvironment(path)
        try stoppable { try await place.watched(follow) }
    }

    @Sendable private func follow() async throws {
        let printer: any LivePrinter = printsJSON ? LiveJSONPrinter() : LiveColumnPrinter()
        var rows: LiveRows?
        for await change in query.updates {
            if let error = change.error {
                // An error of the first result ends the command, as it does for an ordinary query.
                try Self.goOn(after: ToolError(any: error), hasResult: rows != nil)
            } else if let results = change.results {
                let new = try LiveRows(results, keyColumn: keyColumn)
                if let old = rows { printer.write(new.events(since: old), of: new) } else { printer.begin(with: new) }
                rows = new
                try Console.requireWritten()
            }
        }
    }

    /// Prints a warning for an error after which the query can continue; throws any other error, and every error if
    /// there is no result yet.
    private static func goOn(after failure: ToolError, hasResult: Bool) throws {
        switch failure.status {
        case .failed, .usage, .noInput, .tryAgain:
            guard hasResult else { throw failure }
            Console.warn(failure.code, failure.message + "; the query continues with the next change")
        default: throw failure
        }
    }
}
