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
        Int(try connection.integer("SELECT count(*) FROM pragma_table_info(?1)", bind: [.text(table)]))
    }
}

/// Reads the rows of a file of comma-separated values (RFC 4180), one at a time.
final class CSVRows {
    private let input: InputFile
    private var number = 0
    /// The number of the line on which the row that was read last begins, counted from 1.
    private(set) var line = 0

    init(_ input: InputFile) { self.input = input }

    /// Returns the values of the next row; nil after the last one.
    func next() throws -> [String]? {
        guard var bytes = try nextLine() else { return nil }
        line = number
        // A line end within quotes belongs to the value. The quotes of each line are counted only once, so that the
        // time stays linear in the length of the row.
        var isQuoteOpen = Self.hasOddQuotes(bytes)
        while isQuoteOpen {
            guard bytes.count <= InputFile.lineLimit, let more = try nextLine() else {
                throw ToolError(
                    .usage, code: "invalid-csv",
                    "in the row of \(input.name) that begins on line \(line), a quote isn't closed at the end of the file or within \(InputFile.lineLimit) bytes"
                )
            }
            bytes.append(UInt8(ascii: "\n"))
            bytes += more
            if Self.hasOddQuotes(more) { isQuoteOpen = false }
        }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return Self.values(bytes)
    }

    private func nextLine() throws -> [UInt8]? {
        number += 1
        return try input.line()
    }

    private static func hasOddQuotes(_ bytes: [UInt8]) -> Bool {
        bytes.count { $0 == UInt8(ascii: "\"") } % 2 == 1
    }

    private static func values(_ bytes: [UInt8]) -> [String] {
        let (quote, comma) = (UInt8(ascii: "\""), UInt8(ascii: ","))
        var values: [String] = []
        var value: [UInt8] = []
        var isQuoted = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case quote where isQuoted && index < bytes.count && bytes[index] == quote:
                value.append(quote)
                index += 1
            case quote: isQuoted.toggle()
            case comma where !isQuoted:
                values.append(String(decoding: value, as: UTF8.self))
                value = []
            default: value.append(byte)
            }
        }
        return values + [String(decoding: value, as: UTF8.self)]
    }
}
