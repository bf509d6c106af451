/// The version that MongoDB Stitch has given to a document, in the member `__stitch_sync_version`.
package struct SyncVersion: Sendable, Hashable {
    /// The id of the Stitch instance that wrote the document first.
    package var id: String
    /// The counter of the version, which each write increments.
    package var number: Int64

    package init(id: String, number: Int64) { (self.id, self.number) = (id, number) }
}
