/// Rows that are asked for one by one.
public struct RowCursor {
    /// Calls a function with the bodies of all rows, in their order.
    typealias BodyVisits = ((borrowing Span<UInt8>) throws -> Void) throws -> Void

    private let pull: () throws -> Row?
    /// Shows the bodies of the rows in their place, for a stage that needs no more of them; nil if the rows aren't those of a collection.
    let visitBodies: BodyVisits?

    /// Rows that a function gives, nil behind the last one.
    public init(_ pull: @escaping () throws -> Row?) { self.init(pull, visitBodies: nil) }

    init(_ pull: @escaping () throws -> Row?, visitBodies: BodyVisits?) {
        (self.pull, self.visitBodies) = (pull, visitBodies)
    }

    /// The rows of a sequence.
    public init(_ rows: some Sequence<Row>) {
        var iterator = rows.makeIterator()
        self.init { iterator.next() }
    }

    /// Returns the next row; nil behind the last one.
    public mutating func next() throws -> Row? { try pull() }
}

extension RowCursor {
    /// Returns a cursor that begins its work when it is asked for its first row.
    static func deferred(_ open: @escaping () throws -> RowCursor) -> RowCursor {
        var opened: RowCursor?
        return RowCursor {
            if opened == nil { opened = try open() }
            return try opened?.next()
        }
    }

    /// Returns the rows that a function makes of each row.
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
