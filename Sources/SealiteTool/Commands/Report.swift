import Foundation
import SealiteFile

/// Writes reports as JSON, or as lines of "name: value".
enum Report {
    static func print(_ lines: [(String, String)]) {
        let width = lines.map(\.0.count).max() ?? 0
        for (name, value) in lines { Console.print("\(name.padded(to: width))  \(value.withoutControls)") }
    }

    /// Writes a report of the library as one line of JSON.
    static func printJSON(_ report: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        Console.print(String(decoding: try encoder.encode(report), as: UTF8.self))
    }
}
