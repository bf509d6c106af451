public import SealiteDatabase

/// The way from one result of a query to the next: rows that are gone, new, at another place, or changed.
///
/// Rows are told apart by their keys. As few rows as possible move: those that stay are a longest run of rows whose order didn't change.
public struct QueryDelta<Row: Sendable>: Sendable {
    /// A row that is gone.
    public struct Removal: Sendable, Equatable {
        /// The row's place in the result before.
        public let offset: Int
        /// The row's key.
        public let key: Value
    }

    /// A row that is new, or whose columns changed.
    public struct Placement: Sendable {
        /// The row's place in the new result.
        public let offset: Int
        /// The row.
        public let row: Row
    }

    /// A row that stands elsewhere among the rows that stayed.
    public struct Move: Sendable, Equatable {
        /// The row's place in the result before.
        public let from: Int
        /// The row's place in the new result.
        public let to: Int
    }

    /// The rows that are gone, by their old places.
    public let removed: [Removal]
    /// The rows that are new, by their new places.
    public let inserted: [Placement]
    /// The rows that moved, by their new places.
    public let moved: [Move]
    /// The rows with other columns than before, moved or not, by their new places.
    public let updated: [Placement]
    /// A Boolean value that says whether this is the first delta: there is no result before, and every row is inserted.
    public let isFirst: Bool
    /// The number of rows of the result before.
    public let oldCount: Int
    /// The number of rows of the new result.
    public let newCount: Int

    /// Makes the rows of the new result of those of the one before. The first delta replaces whatever is there.
    ///
    /// - Throws: `invalidParameter` where `rows` aren't as many as the result before had.
    public func apply(to rows: inout [Row]) throws {
        let old = isFirst ? [] : rows
        guard old.count == oldCount else {
            throw DatabaseError(
                .invalidParameter, "the delta follows a result of \(oldCount) rows and can't be applied to \(old.count)"
            )
        }
        var new = [Row?](repeating: nil, count: newCount)
        var hasLeft = Set(removed.map(\.offset))
        for move in moved {
            new[move.to] = old[move.from]
            hasLeft.insert(move.from)
        }
        for insertion in inserted { new[insertion.offset] = insertion.row }
        // Those that stayed keep their order and take the places that are left.
        var stayed = old.indices.lazy.filter { !hasLeft.contains($0) }.makeIterator()
        for place in new.indices where new[place] == nil {
            if let index = stayed.next() { new[place] = old[index] }
        }
        for update in updated { new[update.offset] = update.row }
        rows = new.compactMap { $0 }
    }
}
