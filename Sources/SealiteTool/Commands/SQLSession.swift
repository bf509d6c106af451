import SealiteFile
import Synchronization

/// One connection, where its statements come from, and where their rows go.
struct SQLSession {
    let connection: RawConnection
    var format: RowFormat
    let protection: WriteProtection
    let attached: AttachedDatabases

    /// Runs statements. A signal stops the running one, so that the connection closes in order and no journal is left.
    func run(_ sql: String) throws {
        let stopped = StoppingSignal()
        let interrupter = connection.interrupter
        do {
            try Signals.handling(by: { number in
                guard stopped.note(number) else { return false }
                interrupter.interrupt()
                return true
            }) { try connection.run(sql, into: RawRowSink(format.makePrinter())) }
        } catch let error as SealedFileError {
            if let number = stopped.number { throw EndedBySignal(number: number) }
            throw protection.explained(error).ofStatement
        }
        if let number = stopped.number { throw EndedBySignal(number: number) }
    }

    /// Runs standard input statement by statement, up to the first that fails.
    func runScript() throws {
        try Script.run(isComplete: RawConnection.isComplete) { sql, line in
            do {
                try run(sql)
            } catch let error as ToolError {
                throw error.atLine(line)
            }
        }
        try requireEnd()
    }

    /// Refuses to end in a transaction, whose changes would be lost without a word.
    func requireEnd() throws {
        guard connection.isInTransaction else { return }
        throw ToolError(
            .failed, code: SealedFileError.Code.statement.rawValue,
            "the SQL ends inside a transaction, which was rolled back", hint: "end it with COMMIT")
    }
}

/// The first signal that came while a statement ran.
final class StoppingSignal: Sendable {
    private let first = Mutex<CInt?>(nil)

    var number: CInt? { first.withLock { $0 } }

    /// False for a second one: whoever sends two doesn't want to wait.
    func note(_ number: CInt) -> Bool {
        first.withLock { first in
            guard first == nil else { return false }
            first = number
            return true
        }
    }
}

extension ToolError {
    /// As the command `sql` reports it: what was refused is a statement, not the command line.
    fileprivate var ofStatement: ToolError {
        guard status == .usage else { return self }
        return ToolError(.failed, code: code, message, hint: hint)
    }
}
