internal import GRDB
internal import SealiteBase
internal import Synchronization

/// Compares the indexes of a collection with its documents.
struct IndexCheck {
    /// The connection, through which the check only reads.
    let connection: GRDB.Database
    /// The name of the collection in findings.
    let place: String

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
            if let part = try parts.first(where: { try !$0.isStored(in: connection) }) {
                return [finding(record, "its table, view or trigger \"\(part.name)\" is missing or altered")]
            }
            let flaw = try flaw(table, collection) { try progress(done + cost * $0) }
            return flaw.map { [finding(record, $0)] } ?? []
        }
    }

    private func flaw(
        _ table: any IndexTable, _ collection: Int, _ progress: (Double) throws -> Void
    ) throws -> String? {
        let size = try PreparedStatement(
            connection, "SELECT count(*), ifnull(sum(length(body)), 0) FROM documents_\(collection)")
        guard try size.step() else { return nil }
        let (steps, isTooMany) = StepLimit.ofDocuments(size.int64(at: 0), byteCount: size.int64(at: 1))
            .multipliedReportingOverflow(by: 10)
        do {
            return try connection.limited(to: isTooMany ? .max : steps, "the check of the index's expressions") {
                try table.flaw(connection, progress)
            }
        } catch let error as DatabaseError where error.code == .unexpected {
            return error.reason
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
        "\(place), index \"\(record.name)\": \(reason); \(DatabaseRemedy.rebuildIndex.hint)"
    }
}

/// The results of searches, made since the database was opened, for documents with several entries in an index. They are
/// kept so that the searches aren't repeated.
package final class IndexMarks: Sendable {
    /// The number of entries per document that a search found in an index.
    package enum Mark: Sendable {
        /// Each document of the collection whose sequence isn't greater than the given one has one entry.
        case single(through: Int64)
        /// A document has several entries, or had them.
        case several
    }

    private let marks = Mutex<[IndexRecord: Mark]>([:])

    /// The result of the last search of an index; nil if it hasn't been searched.
    package subscript(record: IndexRecord) -> Mark? {
        get { marks.withLock { $0[record] } }
        set { marks.withLock { $0[record] = newValue } }
    }
}

extension Database {
    /// The results of searches for documents with several entries in an index, made since the database was opened.
    package var indexMarks: IndexMarks { attachments.object(IndexMarks.self) { IndexMarks() } }
}
