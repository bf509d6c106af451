internal import SealiteCrypto
internal import GRDB

/// Compares the indexes of a collection with its documents.
struct IndexCheck {
    private let connection: GRDB.Database
    private let place: String

    /// Creates a check, which only reads through the connection; `place` names the collection in findings.
    init(_ connection: GRDB.Database, place: String) {
        self.connection = connection
        self.place = place
    }

    /// Returns a description of the first flaw of each flawed index of a collection, without quoting keys. An index
    /// that has to be rebuilt before use, or that this program can't maintain, isn't checked. `progress` is called with
    /// the work that is done, in the units of ``work(collection:)``.
    func findings(collection: Int, _ progress: (Double) throws -> Void) throws -> [String] {
        let count = try documentCount(collection)
        var done = 0.0
        return try IndexRecord.all(of: collection, in: connection).flatMap { record in
            guard let table = record.table(), record.isCurrent else { return [String]() }
            let cost = table.checkCost(connection, documentCount: count)
            defer { done += cost }
            let parts = table.parts + table.triggers + KeyTable.guards(ofCollection: collection)
            if let part = try parts.first(where: { try storedSQL($0.name) != $0.sql }) {
                return [finding(record, "its table, view or trigger \"\(part.name)\" is missing or altered")]
            }
            return try table.flaw(connection) { try progress(done + cost * $0) }.map { [finding(record, $0)] } ?? []
        }
    }

    /// Returns the work of ``findings(collection:_:)``, in units of the work of checking the row of a document.
    func work(collection: Int) throws -> Double {
        let count = try documentCount(collection)
        return try IndexRecord.all(of: collection, in: connection).reduce(0) { work, record in
            guard let table = record.table(), record.isCurrent else { return work }
            return work + table.checkCost(connection, documentCount: count)
        }
    }

    private func documentCount(_ collection: Int) throws -> Double {
        Double(try connection.integer("SELECT count(*) FROM documents_\(collection) WHERE number > 0"))
    }

    private func finding(_ record: IndexRecord, _ reason: String) -> String {
        "\(place), index \"\(record.name)\": \(reason); \(Remedy.rebuildIndex.hint)"
    }

    private func storedSQL(_ name: String) throws -> String? {
        let statement = try PreparedStatement(connection, "SELECT sql FROM sqlite_schema WHERE name = ?1")
        statement.bind(name, at: 1)
        return try statement.step() ? statement.text(at: 0) : nil
    }
}
