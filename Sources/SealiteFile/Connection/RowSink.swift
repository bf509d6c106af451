/// Receives the rows of a script's statements. Statements without columns are not reported.
package protocol RowSink: AnyObject {
    /// Called when a statement that has columns begins, even if it returns no row.
    func begin(columns: [String])
    /// Called for each row of the current statement.
    func row(_ row: borrowing RawRow)
    /// Called when the current statement has returned all its rows, or has failed.
    func end()
}
