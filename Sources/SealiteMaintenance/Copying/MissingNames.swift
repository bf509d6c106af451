import CSQLite
internal import SealiteBase
import SealiteFile

/// The collations and functions that the tables and indexes of a database need, and that only its own program has.
///
/// SQLite creates no such table or index without them, so the database can't be copied by SQL. Views and triggers are copied
/// as text, and need nothing.
struct MissingNames {
    enum Kind { case collation, function }

    /// The users of each missing name, such as `index "by_name"`, by the name as the first of them writes it.
    private var collations: [(name: String, users: [String])] = []
    private var functions: [(name: String, users: [String])] = []

    var isEmpty: Bool { collations.isEmpty && functions.isEmpty }

    /// The maximum number of users of a name that a message lists.
    private static let listedUserCount = 5
    /// The maximum number of missing names that are looked for in one statement.
    private static let nameLimit = 1_000

    /// Finds what a connection lacks. The schema is created again in memory, without rows; only there does a name that is
    /// missing get a stand-in, so that the next one is found.
    ///
    /// - Throws: `refused` if SQL functions of documents are missing, which this program then doesn't have; errors of reading
    ///   the schema.
    init(_ connection: RawConnection) throws(SealedFileError) {
        let trial = try RawConnection.inMemory(path: connection.path)
        try trial.load(extensions: connection.extensions)
        trial.limitSchemaTrust()
        var entries: [(user: String, sql: String)] = []
        try connection.query(
            """
            SELECT type, name, sql FROM sqlite_schema WHERE rootpage > 0 AND sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%'
                ESCAPE '\\' ORDER BY type = 'index', rowid
            """
        ) { (row) throws(SealedFileError) in
            entries.append(("\(row.text(0) ?? "") \(quoted(row.text(1) ?? ""))", row.text(2) ?? ""))
        }
        for entry in entries { try examine(entry.sql, entry.user, trial) }
    }

    /// Creates one table or index in memory.
    private mutating func examine(_ sql: String, _ user: String, _ trial: RawConnection) throws(SealedFileError) {
        var found: [(kind: Kind, name: String)] = []
        defer { for item in found { Self.setStandIn(false, item.kind, item.name, trial) } }
        while found.count < Self.nameLimit {
            do throws(SealedFileError) {
                return try trial.query(sql)
            } catch {
                // The functions of documents, which the program itself should have.
                guard error.code != .refused else { throw error }
                // Any other error is reported by the copy, if it has it too.
                guard let item = Self.missing(in: trial),
                    !found.contains(where: { $0.kind == item.kind && $0.name == item.name })
                else { return }
                found.append(item)
                note(item.name, item.kind, user)
                Self.setStandIn(true, item.kind, item.name, trial)
            }
        }
    }

    /// Returns the name that SQLite didn't find, according to the connection's last message.
    static func missing(in trial: RawConnection) -> (kind: Kind, name: String)? {
        let message = unsafe String(cString: sqlite3_errmsg(trial.handle))
        for (start, kind) in [
            ("no such collation sequence: ", Kind.collation), ("no such function: ", .function),
            ("unknown function: ", .function),
        ] where message.hasPrefix(start) {
            let name = message.dropFirst(start.count)
            return (kind, String(name.hasSuffix("()") ? name.dropLast(2) : name))
        }
        return nil
    }

    private static func setStandIn(_ isThere: Bool, _ kind: Kind, _ name: String, _ trial: RawConnection) {
        switch kind {
        case .collation:
            unsafe sqlite3_create_collation_v2(
                trial.handle, name, SQLITE_UTF8, nil, isThere ? { _, _, _, _, _ in 0 } : nil, nil)
        case .function:
            unsafe sqlite3_create_function_v2(
                trial.handle, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil,
                isThere ? { _, _, _ in } : nil, nil, nil, nil)
        }
    }

    private mutating func note(_ name: String, _ kind: Kind, _ user: String) {
        func add(_ list: inout [(name: String, users: [String])]) {
            // SQLite distinguishes no case in names.
            if let index = list.firstIndex(where: { $0.name.lowercased() == name.lowercased() }) {
                list[index].users.append(user)
            } else {
                list.append((name, [user]))
            }
        }
        switch kind {
        case .collation: add(&collations)
        case .function: add(&functions)
        }
    }

    /// The names with their users: `the collation X (table "t", index "i") and the function f (index "i")`.
    var text: String {
        let parts =
            collations.map { "the collation \($0.name) (\(Self.list($0.users)))" }
            + functions.map { "the function \($0.name) (\(Self.list($0.users)))" }
        guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
        return parts.dropLast().joined(separator: ", ") + " and " + last
    }

    private static func list(_ users: [String]) -> String {
        let more = users.count - listedUserCount
        return users.prefix(listedUserCount).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }

    /// Throws `refused`, with all missing names, if a connection lacks any.
    static func requireNone(in connection: RawConnection) throws(SealedFileError) {
        let missing = try MissingNames(connection)
        guard missing.isEmpty else {
            throw SealedFileError(
                .refused, "\"\(connection.path)\" needs what only its own program has: \(missing.text)",
                hint: MaintenanceRemedy.loadExtension.hint)
        }
    }
}
