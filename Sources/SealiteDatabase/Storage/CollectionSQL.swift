/// The SQL statements on one collection's table, made once. A class, because reads pass it on, and a copy would retain
/// each text.
final class CollectionSQL: Sendable {
    /// The collection's number.
    let number: Int
    let table: String
    let count: String
    let tombstoneCount: String
    let lastRow: String
    /// Selects the sequence of the collection's last change, and the number of purges.
    let position: String
    let insert: String
    let select: String
    let selectHead: String
    let selectAll: String
    let selectNumber: String
    let selectBody: String
    let update: String
    let move: String
    let updateTree: String
    let updateExpiration: String
    let delete: String

    init(_ number: Int) {
        self.number = number
        table = "documents_\(number)"
        tombstoneCount = "SELECT count(*) FROM \(table) WHERE number < 0"
        // Without a condition SQLite counts in the smallest index and reads no documents.
        count = "SELECT (SELECT count(*) FROM \(table)) - (\(tombstoneCount))"
        position = """
            SELECT max(sequence, ifnull((SELECT max(sequence) FROM \(table)), 0)), purges FROM collections
            WHERE number = \(number)
            """
        lastRow = """
            SELECT max(sequence, ifnull((SELECT max(sequence) FROM \(table)), 0)),
                max(ifnull((SELECT max(number) FROM \(table)), 0), -ifnull((SELECT min(number) FROM \(table)), 0)),
                \(Self.indexFingerprint(number)),
                EXISTS (SELECT 1 FROM local_values WHERE store = '\(FormatTables.syncSpaceStore)' AND name = '\(number)'),
                (SELECT value FROM local_values WHERE store = '\(FormatTables.servedStore)' AND name = '\(number)')
            FROM collections WHERE number = \(number)
            """
        insert = """
            INSERT INTO \(table) (number, id, sequence, flags, revision, body, tree)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (id) DO NOTHING
            """
        select = "SELECT sequence, flags, revision, body FROM \(table) WHERE id = ?1"
        selectHead = "SELECT number, sequence, flags, revision, tree FROM \(table) WHERE id = ?1"
        let all = "number, sequence, flags, revision, tree, body"
        selectAll = "SELECT \(all) FROM \(table) WHERE id = ?1"
        selectNumber = "SELECT \(all), id FROM \(table) WHERE number = ?1"
        selectBody = "SELECT body FROM \(table) WHERE number = ?1"
        let columns = "sequence = ?2, flags = ?3, revision = ?4, body = ?5, tree = ?6 WHERE number = ?1"
        update = "UPDATE \(table) SET \(columns)"
        move = "UPDATE \(table) SET number = -number, \(columns)"
        updateTree = "UPDATE \(table) SET tree = ?2, flags = ?3 WHERE number = ?1"
        updateExpiration = "UPDATE \(table) SET expires = ?2 WHERE id = ?1"
        delete = "DELETE FROM \(table) WHERE number = ?1"
    }

    /// Returns SQL for the fingerprint of a collection's rows in the catalogue of indexes, a text that differs if they
    /// differ; NULL if the collection has no index. The fingerprint includes the definitions, because a number that a
    /// rolled-back transaction assigned is assigned again.
    private static func indexFingerprint(_ number: Int) -> String {
        """
        (SELECT group_concat(number || ' ' || name || ' ' || kind || ' ' || state || ' ' || versions || ' ' || definition)
            FROM indexes WHERE collection = \(number))
        """
    }
}
