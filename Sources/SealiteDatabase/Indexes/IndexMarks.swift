internal import Synchronization

/// What searches of the documents have found out about the entries of indexes since the database was opened, kept so
/// that the searches aren't repeated.
package final class IndexMarks: Sendable {
    /// What is known about the number of entries that a document has in an index.
    package enum Mark: Sendable {
        /// Each document of the collection whose sequence isn't greater than the given one has one entry.
        case single(through: Int64)
        /// A document has several entries, or had them.
        case several
    }

    private let marks = Mutex<[IndexRecord: Mark]>([:])

    /// What is known about the number of entries that a document has in an index; nil for nothing.
    package subscript(record: IndexRecord) -> Mark? {
        get { marks.withLock { $0[record] } }
        set { marks.withLock { $0[record] = newValue } }
    }
}

extension Database {
    /// What was found out about the entries of indexes since the database was opened.
    package var indexMarks: IndexMarks { attachments.object(IndexMarks.self) { IndexMarks() } }
}
