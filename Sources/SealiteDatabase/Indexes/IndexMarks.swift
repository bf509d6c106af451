internal import Synchronization

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
