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

    /// Runs statements. A signal stops the current one, so that the connection is closed properly and no journal
    /// remains.
    func run(_ sql: String) throws {
        let stopped = StoppingSignal()
        let interrupter = connection.interrupter
        do {
            try Signals.handling(by: { number in
                guard stopped.note(number) else { return false }
                interrupter.interrupt()
                return true
            }) { try connection.run(sql, parameters: parameters, into: RawRowSink(format.makePrinter())) }
        } catch let error as SealedFileError {
            if let number = stopped.number { throw EndedBySignal(number: number) }
            throw protection.explained(error).ofStatement
        }
        if let number = stopped.number { throw EndedBySignal(number: number) }
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
