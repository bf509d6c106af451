/// The version that a document from Stitch carries beside its content.
package struct SyncVersion: Sendable, Hashable {
    /// The id of the instance that wrote it first.
    package var id: String
    /// The number of the version.
    package var number: Int64

    package init(id: String, number: Int64) { (self.id, self.number) = (id, number) }
}
