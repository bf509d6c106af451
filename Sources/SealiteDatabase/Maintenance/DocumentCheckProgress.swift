internal import SealiteJSON
internal import SealiteRevisions

/// The progress of a check of documents, blobs and indexes.
package struct DocumentCheckProgress: Sendable, Equatable {
    /// The number of rows of documents that have been checked, tombstones included.
    package let rowCount: UInt64
    /// The number of rows of documents in all collections, tombstones included.
    package let totalRowCount: UInt64
}
