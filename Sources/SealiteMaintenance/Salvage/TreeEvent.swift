import SealiteFile

/// An event of a walk through a b-tree of a damaged database.
enum TreeEvent {
    /// A row: the page of its cell, its rowid in a table, and its whole payload.
    case row(page: UInt32, rowid: Int64?, payload: [UInt8])
    /// A row with missing overflow pages: the number of the first of these pages, and the payload up to it.
    case lostRow(page: UInt32, rowid: Int64?, lostPage: UInt32, prefix: [UInt8])
    /// The number of cells of a page that can't be read, because they are invalid or their pointers lead out of the
    /// page.
    case oddCells(page: UInt32, count: Int)
    /// A subtree whose topmost page is lost. Its rowids were above `after`, up to and including `through`; nil means no
    /// bound.
    case lostTree(page: UInt32, after: Int64?, through: Int64?)
}
