import Foundation
import Testing

/// The cases of Fixtures/Queries whose query is one expression over literals, `SELECT f(…) FROM _`, as SQL over functions of queries.
struct ExpressionCases {
    struct Case: Sendable {
        let id: String
        let expression: String
        /// The result of SQL's quote() for the expected value.
        let result: String
    }

    let cases: [Case]

    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures/Queries")

    /// Reads the cases of a file whose query calls a function of which the name begins with one of `prefixes`.
    init(_ file: String, _ prefixes: [String]) throws {
        let data = try Data(contentsOf: Self.folder.appendingPathComponent(file + ".json"))
        let document = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let all = try #require(document["cases"] as? [[String: Any]])
        cases = all.compactMap { item in
            guard let id = item["id"] as? String, let query = item["query"] as? String,
                let expected = item["expect"] as? [String: Any], let rows = expected["rows"] as? [[Any]],
                let value = rows.first?.first, prefixes.contains(where: { query.contains($0) }),
                let expression = Self.expression(query)
            else { return nil }
            let quirk = item["quirk"] as? String ?? ""
            return Case(id: id, expression: expression, result: quirk == "better null" ? "X'00'" : Self.quoted(value))
        }
    }

    /// The SQL of a query's expression; nil where it isn't one over literals.
    private static func expression(_ query: String) -> String? {
        guard query.hasPrefix("SELECT "), query.hasSuffix(" FROM _") else { return nil }
        var expression = String(query.dropFirst(7).dropLast(7))
        let strings = expression.replacing(/'[^']*'/, with: "")
        guard strings.firstMatch(of: /\b[a-z]\w*/) == nil else { return nil }
        expression.replace(/\b([A-Z][A-Z_]+)\(/) { "query_\($0.1.lowercased())(" }
        expression.replace(/query_regexp_like/, with: "query_regexp_contains")
        return expression.replacing(/\bNULL\b/, with: "x'00'")
    }

    private static func quoted(_ value: Any) -> String {
        switch value {
        case is NSNull: "X'00'"
        case let text as String: "'\(text)'"
        case let number as NSNumber where isBoolean(number): number.boolValue ? "X'01'" : "X'02'"
        case let number as NSNumber: number.stringValue
        default: "NULL"
        }
    }

    /// Tells JSON's booleans from its numbers.
    private static func isBoolean(_ number: NSNumber) -> Bool { unsafe String(cString: number.objCType) == "c" }

    /// Asks a connection for every case.
    func check(on stage: Stage) throws {
        for item in cases { #expect(try stage.ask(item.expression) == item.result, "\(item.id): \(item.expression)") }
    }
}
