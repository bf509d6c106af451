internal import Synchronization

/// Facts about the entries of indexes that a search has found while the database is open, kept so that the search isn't
/// repeated.
package final class IndexMarks: Sendable {
    /// A fact about the documents of an index.
    package enum Mark: Sendable {
        /// The documents up to a sequence have one entry each.
        case single(through: Int64)
        /// Some document has several entries, or had them.
        case several
    }

    private let marks = Mutex<[IndexRecord: Mark]>([:])

    /// The mark of an index; nil if nothing is known.
    package subscript(record: IndexRecord) -> Mark? {
        get { marks.withLock { $0[record] } }
        set { marks.withLock { $0[record] = newValue } }
    }
}

extension Database {
    /// Facts about the entries of indexes that were found since the database was opened.
    package var indexMarks: IndexMarks { attachments.object(IndexMarks.self) { IndexMarks() } }
}
