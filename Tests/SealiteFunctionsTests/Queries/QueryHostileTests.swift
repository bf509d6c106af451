import SealiteFile
import SealiteJSON
import SealiteTestSupport
import Testing

@testable import SealiteFunctions

@Suite("functions of queries on hostile arguments")
struct QueryHostileTests {
    private let stage: QueryStage
    private static let keys: Set<String> = ["query_sort", "query_key", "query_place"]

    init() throws { stage = try QueryStage() }

    /// Arguments of every kind: sound elements with bytes exchanged, damaged ones, and values without bytes.
    private func arguments(_ random: inout SeededRandom) throws -> [SQLValue] {
        var values: [SQLValue] = [
            .null, .integer(Int64.min), .integer(Int64.max), .integer(0), .integer(-1), .text(""), .text("a%_\\é😀"),
            .blob([]), .blob([0]), .blob([1]), .blob([2]), .blob([0xFF]), .blob([0x0F]), .blob([0x1B, 0x1B]),
            .blob([0xEB, 0xFF, 0xFF, 0xFF, 0xFF]), .blob([0x33, 0x31, 0x65, 0x39]), .blob([0x27, 0xC3, 0x28]),
            .blob([UInt8](repeating: 0xEB, count: 2000)), .blob(nested(3000)), .text("nocase"), .text("="),
        ]
        for _ in 0..<24 {
            var bytes = try JSONB.parse(Array(random.json(depth: 3).utf8), requiresObject: false)
            values.append(.blob(bytes))
            if !bytes.isEmpty { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            values.append(.blob(bytes))
        }
        return values
    }

    /// Arrays in each other.
    private func nested(_ depth: Int) -> [UInt8] {
        var writer = JSONBWriter()
        let begun = (0..<depth).map { _ in writer.begin(guess: 70_000) }
        for container in begun.reversed() { writer.end(JSONBType.array, container) }
        return writer.bytes
    }

    @Test("no function fails or crashes, and each result is a value")
    func everyFunction() throws {
        var random = SeededRandom()
        let arguments = try arguments(&random)
        // Texts of MATCH that aren't understood are errors: they have tests of their own.
        for function in QueryFunction.all where "\(function.name)" != "query_match" {
            for count in Set([
                function.counts.lowerBound, min(function.counts.upperBound, function.counts.lowerBound + 1),
                min(function.counts.upperBound, 4),
            ]) {
                let places = (0..<count).map { "?\($0 + 1)" }.joined(separator: ", ")
                for _ in 0..<300 {
                    let chosen = (0..<count).map { _ in arguments[random.below(arguments.count)] }
                    try stage.connection.query("SELECT \(function.name)(\(places))", bind: chosen) { row in
                        guard row.kind(0) == .blob, !Self.keys.contains("\(function.name)") else { return }
                        let bytes = row.blob(0)
                        let root = JSONBElement(root: bytes.span)
                        #expect(root?.end == bytes.count, "seed \(random.seed): \(function.name) \(chosen)")
                    }
                }
            }
        }
    }

    @Test("aggregates and query_each take everything")
    func rows() throws {
        var random = SeededRandom()
        try stage.connection.execute("CREATE TABLE rows(value)")
        for argument in try arguments(&random) {
            try stage.connection.query("INSERT INTO rows VALUES (?1)", bind: [argument])
        }
        for name in ["sum", "avg", "min", "max", "array_agg"] {
            try stage.connection.query("SELECT query_\(name)(value) FROM rows")
            try stage.connection.query(
                "SELECT query_\(name)(value) OVER (ROWS BETWEEN 5 PRECEDING AND 2 PRECEDING) FROM rows")
        }
        try stage.connection.query("SELECT e.key, e.value, e.container FROM rows, query_each(rows.value) AS e")
    }

    @Test("no pattern can stop a query")
    func patterns() throws {
        let (text, part) = ("printf('%.*c', 1000000, 'a')", "printf('%.*c', 40000, 'A') || 'b'")
        var like: String?
        let taken = try processorTime { like = try stage.ask("query_like(\(text), '%' || lower(\(part)))") }
        #expect(like == "X'00'")
        #expect(try stage.ask("query_contains(\(text), \(part), 'nocase')") == "X'02'")
        #expect(taken < .seconds(60))
    }

    @Test("a wrong number of arguments is an error")
    func counts() throws {
        for function in QueryFunction.all where function.counts.lowerBound > 0 {
            #expect(throws: (any Error).self, "\(function.name)") { try stage.ask("\(function.name)()") }
        }
        let error = #expect(throws: SealedFileError.self) { try stage.ask("query_groups()") }
        #expect(error?.reason.contains("wrong number of arguments to query_groups()") == true)
    }

    @Test("every function is registered once, under a name in lower case")
    func names() {
        let names = QueryFunction.all.map { "\($0.name)" }
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { ($0.hasPrefix("query_") || $0.hasPrefix("mongo_")) && $0 == $0.lowercased() })
    }
}
