import SealiteFile
import SealiteJSON

/// Inserts the rows of a file of comma-separated values (<https://www.rfc-editor.org/rfc/rfc4180>) into a table, all of
/// them or none. A table that doesn't exist is created with the columns that the first row names.
struct CSVImport {
    private static let usage = ToolError.usage(".import takes [--skip N] FILE TABLE")

    private let file: String
    private let table: String
    private let database: String
    private var skipped = 0

    /// Parses the arguments of the prompt's command `.import`.
    init(_ words: [String], besides database: String) throws(ToolError) {
        var words = words[...]
        if words.first == "--skip" {
            guard words.count > 1, let count = Int(words[1]), count >= 0 else { throw Self.usage }
            skipped = count
            words = words.dropFirst(2)
        }
        guard words.count == 2, let file = words.first, let table = words.last else { throw Self.usage }
        (self.file, self.table, self.database) = (file, table, database)
    }

    func run(_ connection: RawConnection) throws {
        let rows = CSVRows(try InputFile(file, besides: database))
        for _ in 0..<skipped { _ = try rows.next() }
        try connection.execute("SAVEPOINT sealite_import")
        do {
            let count = try insert(rows, connection)
            try connection.execute("RELEASE sealite_import")
            Console.note("imported \(counted(count, "row")) into \(table)".withoutControls + "\n")
        } catch {
            try? connection.execute("ROLLBACK TO sealite_import")
            try? connection.execute("RELEASE sealite_import")
            throw error
        }
    }

    private func insert(_ rows: CSVRows, _ connection: RawConnection) throws -> Int {
        var columnCount = try columns(connection)
        if columnCount == 0 {
            guard let names = try rows.next() else {
                throw ToolError(
                    .failed, code: "no-rows",
                    "\"\(file)\" has no row that names the columns of the new table \"\(table)\"")
            }
            let columns = names.map { $0.quoted("\"") + " TEXT" }.joined(separator: ", ")
            try connection.execute("CREATE TABLE \(table.quoted("\""))(\(columns))")
            columnCount = names.count
        }
        let places = Array(repeating: "?", count: columnCount).joined(separator: ",")
        let sql = "INSERT INTO \(table.quoted("\"")) VALUES(\(places))"
        var count = 0
        while let row = try rows.next() {
            guard row.count == columnCount else {
                throw ToolError(
                    .usage, code: "wrong-columns",
                    "line \(rows.line) of \"\(file)\" has \(counted(row.count, "value")), and the table \"\(table)\" has \(counted(columnCount, "column"))"
                )
            }
            try connection.query(sql, bind: row.map { .text($0) })
            count += 1
        }
        return count
    }

    private func columns(_ connection: RawConnection) throws -> Int {
        var count = 0
        try connection.query("SELECT count(*) FROM pragma_table_info(?1)", bind: [.text(table)]) {
            (row) throws(SealedFileError) in count = Int(row.integer(0))
        }
        return count
    }
}
