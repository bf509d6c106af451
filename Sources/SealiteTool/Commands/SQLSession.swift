import SealiteFile

/// The session of `sealite sql`: the connection that runs statements, the format of their rows, and the databases that
/// are attached.
struct SQLSession {
    let connection: RawConnection
    var format: RowFormat
    let protection: WriteProtection
    let attached: AttachedDatabases
    /// The path of the database, whose files `.import` must not open.
    let path: String
    /// The values of named parameters.
    var parameters: [String: SQLValue] = [:]

    /// Runs statements. A signal stops the current one, which changes nothing then, and the connection is closed
    /// properly, so that no journal remains. If all were done when the signal arrived, it has no effect, unless further
    /// ones follow: `isLast` says that none does.
    func run(_ sql: String, isLast: Bool = false) throws {
        let (stopped, stop, interrupter) = (StoppingSignal(), StatementStop(), connection.interrupter)
        let wasInTransaction = connection.isInTransaction
        do {
            try Signals.handling(
                by: { number in
                    guard stopped.note(number) else { return false }
                    stop.request()
                    interrupter.interrupt()
                    return true
                }, staysAfterSuccess: isLast
            ) {
                let shown = ElapsedTime.begin("running", json: format == .json)
                defer { shown?.finish() }
                // Rows would be written into the line.
                let sink = RawRowSink(format.makePrinter()) { shown?.finish() }
                try connection.run(sql, parameters: parameters, into: sink, until: stop)
            }
        } catch let error as SealedFileError {
            if let number = stopped.number, error.code == .cancelled {
                throw EndedBySignal(number: number, effect: effect(wasInTransaction))
            }
            throw protection.explained(error).ofStatement
        }
        if !isLast, let number = stopped.number {
            throw EndedBySignal(number: number, effect: "the statement that was running is done, and no other was run")
        }
    }

    /// Returns a description of the changes that stay after a statement was stopped; `wasInTransaction` says whether a
    /// transaction was open before it.
    private func effect(_ wasInTransaction: Bool) -> String {
        let own = "the running statement changed nothing"
        if connection.isInTransaction { return own + ", and the transaction isn't committed" }
        return wasInTransaction ? own + ", and the transaction was rolled back" : own
    }

    /// Throws an error if a transaction is open, whose changes would be lost silently at the end of the session.
    func requireEnd() throws {
        guard connection.isInTransaction else { return }
        throw ToolError(
            .failed, code: SealedFileError.Code.statement.rawValue,
            "the SQL ends inside a transaction, which was rolled back", hint: "end the transaction with COMMIT")
    }
}

extension ToolError {
    /// The error with the exit status of a failed statement, if SQLite or the database refused a valid statement;
    /// otherwise the error itself.
    fileprivate var ofStatement: ToolError {
        guard status == .usage, code == SealedFileError.Code.refused.rawValue else { return self }
        return ToolError(.failed, code: code, message, hint: hint)
    }
}
