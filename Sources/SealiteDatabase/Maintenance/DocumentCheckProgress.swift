internal import SealiteJSON
internal import SealiteRevisions

/// The progress of a check of documents, blobs and indexes.
package struct DocumentCheckProgress: Sendable, Equatable {
    /// The number of documents' rows that have been checked.
    package let rowCount: UInt64
    /// The number of all documents' rows.
    package let totalRowCount: UInt64
}
