/// The version in the Stitch version member of a document, apart from the document's content.
package struct SyncVersion: Sendable, Hashable {
    /// The id of the Stitch instance that wrote the document first.
    package var id: String
    /// The counter of the version, which each write increments.
    package var number: Int64

    package init(id: String, number: Int64) { (self.id, self.number) = (id, number) }
}
