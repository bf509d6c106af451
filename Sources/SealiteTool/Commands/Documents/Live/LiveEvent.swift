import SealiteQuery

/// A difference between two successive results of a live query: a row that was inserted, removed, changed or moved.
struct LiveEvent {
    /// The kind of an event; the names are those in JSON.
    enum Kind: String {
        case inserted
        case removed
        case updated
        case moved
    }

    let kind: Kind
    /// The row's position in the new result, counted from 0, or in the previous result if the row was removed.
    let position: Int
    /// The row's position in the previous result, if it was moved; otherwise nil.
    var from: Int?
    /// The present row, or the last one before its removal.
    let row: [RowCell]
}
