import SealiteCrypto
import SealiteFile

/// Creates a recovery key and writes it to its destination. The key is never a part of the output.
enum NewRecoveryKey {
    enum Destination: Equatable {
        /// A new file, mode 0600.
        case file(String)
        /// The terminal only.
        case terminal
    }

    /// Creates a key, passes it to `use`, and saves the private half: in its file, durably, before anything is sealed
    /// with it, or on the terminal, after it opens a database. If `use` fails, or a signal ends the creation of the
    /// database, the key's file is removed.
    static func make(_ destination: Destination, for database: String? = nil, _ use: (RecoveryKey) throws -> Void)
        throws
    {
        let key = try RecoveryKey()
        switch destination {
        case .file(let path):
            let file = try newFile(path)
            TemporaryNames.keep(path, onlyWith: database)
            defer { TemporaryNames.keep(path, onlyWith: nil) }
            try file.write(try key.paperForm())
            try file.write(Array("\n".utf8))
            try file.publish()
            do {
                try use(key)
            } catch {
                file.unpublish()
                throw error
            }
        case .terminal:
            try Console.requireTerminal()
            try use(key)
            try Console.show(
                try key.paperForm(), before: "\nRecovery key. Write it down now; it is shown once:\n\n    ",
                after: "\n\n")
        }
    }

    private static func newFile(_ path: String) throws(SealedFileError) -> NewFile {
        do throws(SealedFileError) {
            return try NewFile(path)
        } catch {
            guard error.code == .exists else { throw error }
            throw SealedFileError(
                .exists, error.reason,
                hint:
                    "choose another name; if a run that was killed left the file, and didn't make the database or key slot that it was for, remove the file"
            )
        }
    }
}
