internal import SealiteFile
internal import SealiteJSON
internal import SealiteMaintenance
internal import SealiteRevisions

/// The result of checking the values of a document's row, found in a damaged file, against the document format.
struct DocumentContent {
    /// The row's flags, reduced to those that agree with the recovered parts of the row.
    let flags: RowFlags
    /// A Boolean value that says whether the row's revision tree is kept. It isn't if it is lost or doesn't follow the
    /// format.
    let keepsTree: Bool
    /// A Boolean value that says whether the row is usable as a document: it has a revision, and a body unless it is a
    /// tombstone.
    let isReadable: Bool

    /// Checks the values of a row; nil if they can't be those of a document. `isTreeLost` says that the column `tree`
    /// couldn't be read.
    init?(id: String, flags: Int64, revision: [UInt8], body: [UInt8]?, tree: [UInt8]?, isTreeLost: Bool) {
        guard Names.isID(id) else { return nil }
        guard (0...7).contains(flags) else { return nil }
        let stored = RowFlags(rawValue: flags)
        guard let current = RevisionID(stored: revision) else {
            (self.flags, keepsTree, isReadable) = (stored, false, false)
            return
        }
        isReadable = body.map { JSONBValidator.isValid($0) } ?? stored.contains(.deleted)
        let read =
            isTreeLost
            ? nil : try? RevisionTree(stored: tree, current: current, isDeleted: stored.contains(.deleted))
        keepsTree = read != nil
        if read != nil {
            self.flags = stored
        } else {
            let hasBlobs = isReadable && body.map { !BodyScanner.blobDigests($0).isEmpty } ?? false
            self.flags = stored.intersection(.deleted).union(hasBlobs ? .hasBlobs : [])
        }
    }
}
