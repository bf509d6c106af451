/// A sequence of documents, called rows, that are produced on demand.
public struct RowCursor {
    /// A function that calls another one with the stored body of each row, in the order of the rows.
    typealias BodyVisits = ((borrowing Span<UInt8>) throws -> Void) throws -> Void

    private let pull: () throws -> Row?
    /// Visits the bodies of the rows without a copy, for stages that need only the bodies; nil if the rows aren't
    /// stored documents, or if their filter depends on the `_id`.
    let visitBodies: BodyVisits?

    /// Creates a cursor over the rows that a function returns one after the other; it returns nil after the last one.
    public init(_ pull: @escaping () throws -> Row?) { self.init(pull, visitBodies: nil) }

    init(_ pull: @escaping () throws -> Row?, visitBodies: BodyVisits?) {
        (self.pull, self.visitBodies) = (pull, visitBodies)
    }

    /// Creates a cursor over a sequence of rows.
    public init(_ rows: some Sequence<Row>) {
        var iterator = rows.makeIterator()
        self.init { iterator.next() }
    }

    /// Returns the next row; nil after the last one.
    public mutating func next() throws -> Row? { try pull() }
}

extension RowCursor {
    /// Returns a cursor over the rows of the cursor that `open` returns, which is called when the first row is asked
    /// for.
    static func deferred(_ open: @escaping () throws -> RowCursor) -> RowCursor {
        var opened: RowCursor?
        return RowCursor {
            if opened == nil { opened = try open() }
            return try opened?.next()
        }
    }

    /// Returns a cursor over the rows that a function returns for each row, without those for which it returns nil.
    func map(_ transform: @escaping (Row) throws -> Row?) -> RowCursor {
        var input = self
        return RowCursor {
            while let row = try input.next() {
                if let result = try transform(row) { return result }
            }
            return nil
        }
    }
}
