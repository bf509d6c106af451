import SealiteCredentials
import SealiteDatabase
import SealiteFile

/// The databases of a session that are write-protected, with the reasons.
final class WriteProtection {
    private let isReadOnly: Bool
    private let isRaw: Bool
    private var protected: [(name: String, path: String, kind: DatabaseKind)] = []

    /// Creates a protection. `readOnly` applies to all databases; without it, `raw` allows SQL to write to databases
    /// that are not intended for changes by SQL.
    init(readOnly: Bool, raw: Bool) {
        isReadOnly = readOnly
        isRaw = raw
    }

    /// Write-protects a database of documents or credentials, before it is opened under a name, unless `--read-only` or
    /// `--raw` is given.
    ///
    /// - Returns: the kind of the database if it is write-protected; otherwise nil.
    @discardableResult
    func check(_ database: SealedDatabase, as name: String) throws(SealedFileError) -> DatabaseKind? {
        guard !isReadOnly, !isRaw else { return nil }
        let kind = try DatabaseKind(of: database)
        guard kind.way != nil else { return nil }
        try GuardedFiles.add(database.path)
        protected.append((name, database.path, kind))
        return kind
    }

    /// Returns the error of a statement for the command line. If the statement tried to write to a protected database,
    /// the error names the reason for the protection.
    func explained(_ error: SealedFileError) -> ToolError {
        let plain = ToolError(error)
        guard error.code == .permission, error.reason.contains("readonly database") else { return plain }
        if isReadOnly {
            return ToolError(
                .failed, code: "read-only", "the statement writes, and --read-only was given",
                hint: "remove --read-only")
        }
        guard !protected.isEmpty else { return plain }
        let what = protected.map { "\"\($0.path)\" is \($0.kind.name)" }.joined(separator: ", ")
        let ways = Set(protected.compactMap(\.kind.way)).sorted().joined(separator: "; ")
        return ToolError(
            .failed, code: "read-only", "the statement writes, and \(what), which 'sealite sql' opens for reading only",
            hint: "\(ways); --raw lets SQL write without these protections")
    }
}
