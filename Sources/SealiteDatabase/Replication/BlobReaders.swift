internal import SealiteRevisions

/// The documents that a peer may read. The peer may also read the blobs to which these documents refer.
package struct BlobReaders: Sendable {
    /// The collections in which the peer may read every document.
    package let collections: [Collection]
    /// A document that the peer may read in addition to those of the collections; nil if there is none.
    package let document: (id: String, collection: Collection)?

    package init(collections: [Collection], document: (id: String, collection: Collection)?) {
        self.collections = collections
        self.document = document
    }
}
