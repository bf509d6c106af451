internal import SealiteJSON
internal import SealiteRevisions

/// The progress of a check of documents, blobs and indexes.
package struct DocumentCheckProgress: Sendable, Equatable {
    /// The number of rows that have been checked: those of documents, tombstones included, and then those of the blobs'
    /// content, of 64 KiB each.
    package let rowCount: UInt64
    /// The number of rows of documents in all collections, tombstones included, and of the content of all blobs.
    package let totalRowCount: UInt64
}
