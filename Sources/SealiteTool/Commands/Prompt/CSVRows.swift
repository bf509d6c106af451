import SealiteFile
import SealiteJSON

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
