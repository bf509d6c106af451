internal import SealiteJSON
internal import SealiteRevisions

/// The progress of a check of documents, blobs and indexes.
package struct DocumentCheckProgress: Sendable, Equatable {
    /// The work that is done, in units of about the time that the check of a document takes. The documents of a
    /// collection, tombstones included, are checked before its indexes, and the content of the blobs comes last.
    package let rowCount: UInt64
    /// The work for all documents, indexes and blobs.
    package let totalRowCount: UInt64
}
