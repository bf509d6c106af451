import Foundation

/// The cases of `Fixtures/Queries`, read from the files themselves.
struct QueryCase: Decodable, CustomStringConvertible {
    /// The error that LiteCore gives: a sentence, or an object with a message.
    struct Failure: Decodable {
        let message: String
        let stage: String?

        private enum Key: CodingKey { case message, stage }

        init(from decoder: any Decoder) throws {
            if let text = try? decoder.singleValueContainer().decode(String.self) {
                message = text
                stage = nil
            } else {
                let container = try decoder.container(keyedBy: Key.self)
                message = try container.decode(String.self, forKey: .message)
                stage = try container.decodeIfPresent(String.self, forKey: .stage)
            }
        }
    }

    let id: String
    /// The text of a case of `parser.json`.
    let sqlpp: String?
    /// The text of any other case; cases about collations alone have none.
    let query: String?
    let ast: JSONValue?
    let error: Failure?

    var description: String { id }

    private struct File: Decodable { let cases: [QueryCase] }

    static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/Queries")

    /// The cases of one file.
    static func cases(_ group: String) throws -> [QueryCase] {
        let data = try Data(contentsOf: fixtures.appending(path: group + ".json"))
        return try JSONDecoder().decode(File.self, from: data).cases
    }

    /// The names of the files without `parser`, in order.
    static func otherGroups() throws -> [String] {
        try FileManager.default.contentsOfDirectory(at: fixtures, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }.map { $0.deletingPathExtension().lastPathComponent }
            .filter { $0 != "parser" }.sorted()
    }

    /// A Boolean value that says whether LiteCore's parser refuses the text, rather than what comes after it.
    var isSyntaxError: Bool {
        guard let error else { return false }
        let beginnings = [
            "N1QL syntax error", "Wrong number of arguments", "Unknown operator", "LIMIT must be", "OFFSET must be",
            "missing ON",
            "CROSS JOIN cannot", "the use of a general expression",
        ]
        return beginnings.contains { error.message.hasPrefix($0) }
    }
}

/// The table of `Fixtures/Queries/differences.md`: the cases whose text is read otherwise than LiteCore reads it.
enum QueryDifferences {
    /// The class of each listed case whose row says `syntax`, by its number.
    static func syntax() throws -> [String: String] {
        let file = QueryCase.fixtures.appending(path: "differences.md")
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let syntax = rows.filter { $0.count == 4 && $0[1] == "syntax" }
        return Dictionary(uniqueKeysWithValues: syntax.map { ($0[0], $0[2]) })
    }
}
