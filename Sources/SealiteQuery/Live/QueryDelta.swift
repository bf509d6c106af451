public import SealiteDatabase

/// The difference between one result of a query and the next: removed, inserted, moved and updated rows.
///
/// Rows are identified by their keys. The number of moved rows is minimal: the rows that aren't moved are a longest
/// sequence of rows whose order didn't change.
public struct QueryDelta<Row: Sendable>: Sendable {
    /// A row of the previous result that was removed.
    public struct Removal: Sendable, Equatable {
        /// The row's position in the previous result, from 0.
        public let offset: Int
        /// The removed row's key: the value of the column that identifies rows.
        public let key: Value
    }

    /// A row of the new result that was inserted, or whose columns changed.
    public struct Placement: Sendable {
        /// The row's position in the new result, from 0.
        public let offset: Int
        /// The inserted or changed row, in its new state.
        public let row: Row
    }

    /// A row whose position among the remaining rows changed.
    public struct Move: Sendable, Equatable {
        /// The row's position in the previous result, from 0.
        public let from: Int
        /// The row's position in the new result, from 0.
        public let to: Int
    }

    /// The removed rows, in the order of their positions in the previous result.
    public let removed: [Removal]
    /// The inserted rows, in the order of their positions in the new result.
    public let inserted: [Placement]
    /// The moved rows, in the order of their positions in the new result.
    public let moved: [Move]
    /// The rows whose columns changed, whether they moved or not, in the order of their positions in the new result.
    public let updated: [Placement]
    /// A Boolean value that says whether this is the first delta, in which every row is inserted because there is no
    /// previous result.
    public let isFirst: Bool
    /// The number of rows of the previous result; 0 for the first delta.
    public let oldCount: Int
    /// The number of rows of the new result.
    public let newCount: Int

    /// Converts an array of the rows of the previous result into the rows of the new one. The first delta replaces all
    /// given rows.
    ///
    /// - Throws: `invalidParameter` if the number of `rows` differs from that of the previous result, unless this is
    ///   the first delta.
    public func apply(to rows: inout [Row]) throws {
        let old = isFirst ? [] : rows
        guard old.count == oldCount else {
            throw DatabaseError(
                .invalidParameter,
                "the delta changes a result of \(oldCount) rows, and can't be applied to an array of \(old.count) rows",
                hint: "apply every delta, in order, to the same array")
        }
        var new = [Row?](repeating: nil, count: newCount)
        var hasLeft = Set(removed.map(\.offset))
        for move in moved {
            new[move.to] = old[move.from]
            hasLeft.insert(move.from)
        }
        for insertion in inserted { new[insertion.offset] = insertion.row }
        // The rows that neither moved nor were removed keep their order, and take the positions that remain.
        var stayed = old.indices.lazy.filter { !hasLeft.contains($0) }.makeIterator()
        for place in new.indices where new[place] == nil {
            if let index = stayed.next() { new[place] = old[index] }
        }
        for update in updated { new[update.offset] = update.row }
        assert(new.allSatisfy { $0 != nil }, "each row of the new result has a place")
        rows = new.compactMap { $0 }
    }
}

/// The changes of a query's result, row by row. The first element inserts all rows; each later element is the
/// difference to the previous result.
///
/// Between two elements, memory holds the keys and the hashes of the rows, but no rows. The first error ends the
/// sequence: an error of the query, a row that can't be decoded or has no key, or two rows with the same key. See
/// ``QueryResults`` for the times of delivery.
public struct QueryDeltas<Row: Sendable>: AsyncSequence, Sendable {
    /// The difference between a result of the query and the next one.
    public typealias Element = QueryDelta<Row>

    let query: Query
    let keyColumn: String
    let read: @Sendable (Result) throws -> Row

    /// Creates the sequence of changes of a query's result, whose rows a closure decodes.
    package init(query: Query, keyColumn: String, _ read: @escaping @Sendable (Result) throws -> Row) {
        (self.query, self.keyColumn, self.read) = (query, keyColumn, read)
    }

    /// Returns an iterator with an observer of its own.
    public func makeAsyncIterator() -> Iterator {
        Iterator(observer: LiveObserver(query), differ: DeltaMaker(keyColumn: keyColumn), read: read)
    }

    /// The iterator over the differences between results, one for each new result.
    public struct Iterator: AsyncIteratorProtocol {
        let observer: LiveObserver
        var differ: DeltaMaker
        let read: @Sendable (Result) throws -> Row

        /// Returns the next delta; nil if the observation has ended.
        ///
        /// - Throws: the errors of executing the query, `decodingFailed`, and `invalidParameter`, which names the
        ///   column, if a row has no key or two rows have the same key.
        public mutating func next() async throws -> QueryDelta<Row>? {
            try await observer.next { try differ.delta(to: $0, read) }
        }
    }
}
