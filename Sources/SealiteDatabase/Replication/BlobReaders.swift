internal import SealiteRevisions

/// The documents through which a peer may read a blob.
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
