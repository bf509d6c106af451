internal import Synchronization

/// What was found out about the entries of indexes while the database is open, so that it isn't looked for again.
package final class IndexMarks: Sendable {
    /// What is known of the documents of an index.
    package enum Mark: Sendable {
        /// The documents up to a sequence have one entry each.
        case single(through: Int64)
        /// Some document has, or had, several.
        case several
    }

    private let marks = Mutex<[IndexRecord: Mark]>([:])

    /// The mark of an index; nil where nothing is known.
    package subscript(record: IndexRecord) -> Mark? {
        get { marks.withLock { $0[record] } }
        set { marks.withLock { $0[record] = newValue } }
    }
}
