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

    /// Returns whether the document is a tombstone that a peer has pulled, if the peer has pulled all changes through a
    /// sequence.
    func isTombstone(through sequence: UInt64) -> Bool {
        flags.contains(.deleted) && UInt64(clamping: self.sequence) <= sequence
    }

    /// Returns the JSONB body of the revision at an index of the tree; nil if it isn't stored. The current revision, at
    /// index 0, always has one: an empty object if the row has no body.
    func body(at index: Int) -> [UInt8]? {
        index == 0 ? body ?? Document.emptyBody : tree.nodes[index].body
    }
}

extension RevisionRecord {
    /// Creates a record from the columns of a document's row, and parses the revision tree in them.
    ///
    /// - Throws: `corruptData` if the tree is damaged.
    init(_ head: DocumentHead, body: [UInt8]?) throws(DatabaseError) {
        let tree = try RevisionTree(
            stored: head.tree, current: head.revision, isDeleted: head.flags.contains(.deleted))
        self.init(head: head, flags: head.flags, body: body, tree: tree)
    }
}
