internal import GRDB
internal import SealiteRevisions

/// A document's row and revision tree, which are read together to be changed.
struct RevisionRecord {
    /// The columns of the row besides the body; nil for a document that isn't stored yet.
    var head: DocumentHead?
    var flags: RowFlags
    var body: [UInt8]?
    var tree: RevisionTree

    /// The sequence of the current revision; 0 for a document that isn't stored yet.
    var sequence: Int64 { head?.sequence ?? 0 }

    /// Returns the body of a node; nil if it isn't stored.
    func body(at index: Int) -> [UInt8]? {
        index == 0 ? body ?? Document.emptyBody : tree.nodes[index].body
    }
}

extension RevisionRecord {
    /// Reads the tree of a row.
    ///
    /// - Throws: `corruptData`.
    init(_ head: DocumentHead, body: [UInt8]?) throws(DatabaseError) {
        let tree = try RevisionTree(
            stored: head.tree, current: head.revision, isDeleted: head.flags.contains(.deleted))
        self.init(head: head, flags: head.flags, body: body, tree: tree)
    }
}
