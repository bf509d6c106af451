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

    /// Creates a key, saves the private half, durably in its file or by showing it on the terminal, and then passes the
    /// key to `use`, which seals with it in the file at the path `database`.
    ///
    /// If `use` fails, the key's file is removed only if it is certain that `database` has no slot of the key. If a
    /// signal ends the process, the key's file is removed only if `database` was to be created and doesn't exist.
    static func make(
        _ destination: Destination, for database: String, _ use: (RecoveryKey) throws -> Void
    ) throws {
        let key = try RecoveryKey()
        let check = NewSlotCheck(before: database)
        switch destination {
        case .file(let path):
            let file = try newFile(path)
            if check.isOfNewFile { TemporaryNames.keep(path, onlyWith: database) }
            defer { TemporaryNames.keep(path, onlyWith: nil) }
            try file.write(try key.paperForm())
            try file.write(Array("\n".utf8))
            try file.publish()
            try seal(with: key, in: database, check, use) { file.unpublish() }
        case .terminal:
            try Console.show(
                try key.paperForm(),
                before: "\nRecovery key of \"\(database)\", fingerprint \(key.fingerprint)".withoutControls
                    + "\nWrite both lines down now; the key is shown once:\n\n    ",
                after: "\n\n")
            try seal(with: key, in: database, check, use) {
                Console.warn("recovery-key-unused", "the recovery key that was shown isn't used: it opens nothing")
            }
        }
    }

    /// Passes the key to `use`. If that fails, calls `discard` if no slot has the key, and otherwise warns that the key
    /// must be kept.
    private static func seal(
        with key: RecoveryKey, in database: String, _ check: NewSlotCheck, _ use: (RecoveryKey) throws -> Void,
        orDiscard discard: () -> Void
    ) throws {
        do {
            try use(key)
        } catch {
            let fingerprint = key.fingerprint
            // An empty fingerprint, after a failure of OpenSSL, is that of no slot.
            if fingerprint.isEmpty || check.mayHaveSlot(where: { $0.fingerprint == fingerprint }) {
                Console.warn(
                    "recovery-key-kept",
                    "the new recovery key may open \"\(database)\" although the command failed: keep it until"
                        + " 'sealite key check' shows that it doesn't")
            } else {
                discard()
            }
            throw error
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
