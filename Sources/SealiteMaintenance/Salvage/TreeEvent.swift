import SealiteFile

/// An event of a walk through a b-tree.
enum TreeEvent {
    /// A row: the page of its cell, its rowid in a table, and its whole payload.
    case row(page: UInt32, rowid: Int64?, payload: [UInt8])
    /// A row with missing overflow pages, and its payload up to the first missing one.
    case lostRow(page: UInt32, rowid: Int64?, lostPage: UInt32, prefix: [UInt8])
    /// Invalid cells, or a page with pointers that lead out of it.
    case oddCells(page: UInt32, count: Int)
    /// A subtree whose page is lost. Its rowids were above `after`, up to and including `through`.
    case lostTree(page: UInt32, after: Int64?, through: Int64?)
}
