internal import GRDB

// Values of the format (Documentation/DocumentFormat.md §1) that are checked where they are read. A file may have been
// made by somebody else, and SQLite enforces the types of columns only on rows that it writes itself.
extension PreparedStatement {
    /// The bound that the numbers of rows, sequences and counts stay below: their sums and differences fit in 64 bits.
    static var numberLimit: Int64 { 1 << 62 }

    /// Returns the number in a column.
    ///
    /// - Parameters:
    ///   - column: the index of the column.
    ///   - least: the smallest valid number.
    ///   - what: describes the number in the error.
    /// - Returns: the number.
    /// - Throws: `corruptData` if the value isn't an integer, is less than `least`, or reaches `numberLimit`.
    @inline(__always)
    borrowing func number(
        at column: CInt, atLeast least: Int64 = 1, _ what: @autoclosure () -> String
    ) throws -> Int64 {
        let value = int64(at: column)
        guard value >= least, value < Self.numberLimit, type(at: column) == .integer else {
            throw Self.outOfRange(what(), least)
        }
        return value
    }

    /// Returns the number of a document in a column, which is negative for a tombstone.
    ///
    /// - Throws: `corruptData` if the value isn't an integer, is 0, or has an absolute value that reaches
    ///   `numberLimit`.
    @inline(__always)
    borrowing func documentNumber(at column: CInt) throws -> Int64 {
        let value = int64(at: column)
        guard value != 0, value.magnitude < Self.numberLimit.magnitude, type(at: column) == .integer else {
            throw Self.outOfRange("the stored number of a document", 1)
        }
        return value
    }

    /// Returns the sequence of a document in a column.
    ///
    /// - Throws: `corruptData` as ``number(at:atLeast:_:)``.
    @inline(__always)
    borrowing func sequence(at column: CInt) throws -> Int64 {
        try number(at: column, "the stored sequence of a document")
    }

    /// Returns the number of a collection in a column.
    ///
    /// - Throws: `corruptData` as ``number(at:atLeast:_:)``.
    borrowing func collectionNumber(at column: CInt) throws -> Int {
        Int(try number(at: column, "the stored number of a collection"))
    }

    /// Returns the number of a remote in a column.
    ///
    /// - Throws: `corruptData` as ``number(at:atLeast:_:)``.
    borrowing func remoteNumber(at column: CInt) throws -> Int {
        Int(try number(at: column, "the stored number of a remote"))
    }

    /// Returns the text in a column, such as an id, by which rows are found again.
    ///
    /// - Throws: `corruptData` if the value isn't TEXT or isn't UTF-8.
    borrowing func exactText(at column: CInt, _ what: @autoclosure () -> String) throws -> String {
        if type(at: column) == .text, let text = validText(at: column) { return text }
        throw DatabaseError(.corruptData, "\(what()) isn't a text", hint: Self.repair)
    }

    /// Returns the id of a document in a column.
    ///
    /// - Throws: `corruptData` if the value isn't TEXT or isn't UTF-8.
    borrowing func documentID(at column: CInt) throws -> String {
        try exactText(at: column, "the stored id of a document")
    }

    private static func outOfRange(_ what: String, _ least: Int64) -> DatabaseError {
        DatabaseError(.corruptData, "\(what) isn't a number from \(least) to \(numberLimit - 1)", hint: repair)
    }

    private static var repair: String { "restore a backup, or recover the documents by a salvage" }
}

extension DatabaseError {
    /// Returns the error for rows that don't follow each other in the order in which they are read page by page: the
    /// next page would repeat earlier rows.
    package static func disorder(_ what: String, in table: String) -> DatabaseError {
        DatabaseError(
            .corruptData, "the \(what) of the table \"\(table)\" aren't in their order: an index or a table is damaged",
            hint: "check the database, and restore a backup or recover the documents by a salvage")
    }
}
