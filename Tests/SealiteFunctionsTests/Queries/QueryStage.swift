import SealiteBase
import SealiteFile
import SealiteJSON
import Testing

@testable import SealiteFunctions

/// A connection to a database in memory, with the functions of queries.
struct QueryStage {
    let connection: RawConnection

    init() throws {
        try SealedVFS.register()
        connection = try RawConnection(uri: "file::memory:", path: "memory")
    }

    /// Returns the value of an expression as an SQL literal.
    func ask(_ expression: String) throws -> String {
        try connection.text("SELECT quote(\(expression))") ?? "nothing"
    }

    /// Checks lines of the form `name(JSON, …) → JSON`, where a value may be MISSING too; names are without "query_".
    func check(_ table: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let lines = table.split(separator: "\n").filter { !$0.isEmpty }
        try #require(!lines.isEmpty)
        for line in lines {
            let halves = line.split(separator: " → ")
            try #require(halves.count == 2, "\(line)")
            let parenthesis = try #require(halves[0].firstIndex(of: "("))
            let texts = Self.arguments(halves[0][halves[0].index(after: parenthesis)...].dropLast())
            let call = "query_\(halves[0][..<parenthesis])(\(try texts.map(literal).joined(separator: ", ")))"
            let (found, wanted) = (try ask(call), try ask(literal(String(halves[1]))))
            #expect(found == wanted, "\(line)", sourceLocation: sourceLocation)
        }
    }

    /// The parts of a list between commas that stand in no brackets and no string.
    private static func arguments(_ list: Substring) -> [String] {
        var (parts, depth, isText, isEscaped) = ([""], 0, false, false)
        for character in list {
            if character == "\"", !isEscaped { isText.toggle() }
            isEscaped = character == "\\" && !isEscaped
            if !isText, "[{".contains(character) { depth += 1 }
            if !isText, "]}".contains(character) { depth -= 1 }
            if character == ",", depth == 0, !isText {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        let trimmed = parts.map { String($0.drop { $0 == " " }) }
        return trimmed == [""] ? [] : trimmed
    }
}

/// An SQL literal of the query value of a JSON text, or of MISSING; `#` stands before a number that only its text holds.
func literal(_ json: String) throws -> String {
    if json == "MISSING" { return "NULL" }
    if json.first == "#" { return try jsonb(String(json.dropFirst())) }
    if json.first == "\"" {
        let bytes = try JSONB.parse(Array(json.utf8), requiresObject: false)
        let root = JSONBElement(root: bytes.span)
        let text = Array(bytes[(root?.start ?? 0)..<(root?.end ?? 0)])
        return "CAST(x'\(Hexadecimal.text(of: text))' AS TEXT)"
    }
    if let first = json.first, first == "-" || first.isNumber {
        if json == "-9223372036854775808" { return "(-9223372036854775807 - 1)" }
        return json
    }
    return try jsonb(json)
}
