import Foundation
import SealiteTestSupport
import Testing

@testable import SealiteQueryLanguage

@Suite("hostile texts")
struct HostileTextTests {
    private static let isSoak = ProcessInfo.processInfo.environment["SEALITE_SOAK"] == "1"

    private func error(_ text: String) -> QuerySyntaxError? {
        do {
            _ = try Statement(parsing: text)
            return nil
        } catch {
            return error
        }
    }

    /// The forms that may be nested: the text before and behind the inside of each.
    private static let nestings = [
        ("(", ")"), ("[", "]"), ("{'a': ", "}"), ("ABS(", ")"), ("COUNT(DISTINCT ", ")"), ("- ", ""), ("NOT ", ""),
        ("a = NOT (", ")"), ("- (", ")"),
        ("CASE ", " WHEN a THEN b END"), ("CASE WHEN a THEN ", " END"), ("ANY v IN ", " SATISFIES v END"),
        ("EVERY v IN a SATISFIES ", " END"),
        ("ARRAY (", ") FOR v IN a END"), ("ARRAY a FOR v IN ", " END"), ("(SELECT ", ")"), ("EXISTS (SELECT ", ")"),
        ("a IN (", ")"),
        ("a IN [", "]"), ("a IN (SELECT ", ")"), ("MATCH(i, ", ")"), ("SUM(a) FILTER (WHERE ", ")"),
        ("SUM(a) OVER (ORDER BY ", ")"),
        ("a BETWEEN 1 AND (", ")"), ("a LIKE (", ")"), ("(SELECT 1 FROM (SELECT ", ") AS q)"),
        ("(WITH q AS (SELECT ", ") SELECT 1)"),
        ("((SELECT ", ") UNION SELECT 1)"), ("a + (", ")"), ("a AND (", ")"), ("(", ").x"),
    ]

    @Test("ten thousand levels are an error, wherever they are", arguments: nestings)
    func nesting(before: String, behind: String) throws {
        for count in [10_000, 101] {
            let text =
                "SELECT " + String(repeating: before, count: count) + "a" + String(repeating: behind, count: count)
            #expect(error(text)?.reason == "the query is nested deeper than 100 levels")
            #expect(error("SELECT " + String(repeating: before, count: count)) != nil)
        }
    }

    @Test("what is printed is not nested too deeply to be read")
    func printedNesting() throws {
        let forms = [
            ("- NOT ", ""), ("a = NOT -", ""), ("ARRAY ", " FOR v IN a END"), ("(SELECT VALUE ", ")"),
            ("(5[0] + ", ")"),
        ]
        for (before, behind) in Self.nestings + forms {
            func nested(_ count: Int) -> Statement? {
                try? Statement(
                    parsing: "SELECT " + String(repeating: before, count: count) + "a"
                        + String(repeating: behind, count: count))
            }
            let deepest = try #require((1...101).last { nested($0) != nil }, "\(before)")
            for count in stride(from: deepest, through: 1, by: Self.isSoak ? -1 : -10) {
                let tree = try #require(nested(count), "\(count) of \(before)")
                #expect((try? Statement(parsing: "\(tree)")) == tree, "\(count) of \(before)")
            }
        }
    }

    @Test("as many levels as are allowed fit a stack of two mebibytes", arguments: nestings)
    func stack(before: String, behind: String) async throws {
        // Some forms take two levels.
        let depths = [98, 48, 31].map { count in
            "SELECT " + String(repeating: before, count: count) + "a" + String(repeating: behind, count: count)
        }
        let isSame = await withCheckedContinuation { continuation in
            let thread = Thread {
                let tree = depths.lazy.compactMap { try? Statement(parsing: $0) }.first
                continuation.resume(returning: tree.map { (try? Statement(parsing: "\($0)")) == $0 } ?? false)
            }
            thread.stackSize = 2 << 20
            thread.start()
        }
        #expect(isSame)
    }

    @Test(
        "a chain of any length is read, printed and compared",
        arguments: [
            (" AND ", "a"), (" OR ", "a"), (" + ", "a"), (" || ", "a"), (" = ", "a"), (" IS NOT ", "a"), (" < ", "a"),
            (" * ", "a"), (", ", "a"),
            (" AND ", "a = 1 OR b"), (" CROSS JOIN ", "a FROM b"), (" UNION SELECT ", "a"), (" UNNEST ", "a FROM b"),
            (" AND NOT ", "a"),
        ])
    func chains(separator: String, item: String) throws {
        let rest = item.contains("FROM") ? "c" : item
        let text = "SELECT " + item + String(repeating: separator + rest, count: Self.isSoak ? 50_000 : 20_000)
        let tree = try Statement(parsing: text)
        #expect(try Statement(parsing: "\(tree)") == tree)
    }

    @Test("127 arguments are allowed, 128 are refused")
    func arguments() throws {
        func list(_ count: Int) -> String { Array(repeating: "a", count: count).joined(separator: ", ") }
        let members = { (count: Int) in Array(repeating: "'a': a", count: count).joined(separator: ", ") }
        for text in [
            "CONCAT(\(list(127)))", "[\(list(127))]", "{\(members(127))}", "a IN (\(list(5000)))",
            "a IN [\(list(5000))]",
        ] {
            #expect(error("SELECT \(text) FROM _") == nil)
        }
        #expect(
            error("SELECT CONCAT(\(list(128))) FROM _")?.reason
                == "wrong number of arguments to CONCAT(): it takes 2 to 127")
        #expect(error("SELECT [\(list(128))] FROM _")?.reason == "an array literal has more than 127 elements")
        #expect(error("SELECT {\(members(128))} FROM _")?.reason == "an object literal has more than 127 members")
    }

    @Test("a path of 500 steps is read, a longer one is refused")
    func paths() {
        #expect(error("SELECT a" + String(repeating: ".b", count: 500)) == nil)
        for step in [".b", "[0]", "[1:2]"] {
            #expect(error("SELECT a" + String(repeating: step, count: 501))?.reason == "a path has more than 500 steps")
        }
    }

    @Test("an error anywhere in a text of a megabyte is found where it is")
    func largeTexts() throws {
        let piece =
            "a.b[0] = 'text' AND b IN (1, 2.5, NULL) OR LOWER(c) LIKE 'x%' -- comment\n AND {'k': [TRUE, $p]}.k IS VALUED OR "
        let count = (1 << 20) / piece.utf8.count
        let whole = "SELECT " + String(repeating: piece, count: count) + "a"
        #expect(error(whole) == nil)
        for part in [0, count / 3, count - 1] {
            let before = "SELECT " + String(repeating: piece, count: part)
            let found = try #require(error(before + "FROM " + String(repeating: piece, count: count - part)))
            #expect(found.offset == before.utf8.count && found.line == part + 1)
        }
        let unclosed = try #require(error(whole + " OR 'open"))
        #expect(unclosed.offset == whole.utf8.count + 4)
    }

    @Test("a text of more than four mebibytes is refused, one of as many is read")
    func longTexts() {
        let text = "SELECT a -- " + String(repeating: "x", count: QueryLimits.textByteCount - 12)
        #expect(error(text) == nil)
        #expect(error(text + "x")?.reason == "the query is longer than 4194304 bytes")
    }

    @Test("bytes that are not UTF-8 are refused, others are read")
    func invalidBytes() throws {
        #expect(try Statement(parsing: Array("SELECT 'é'".utf8)) == Statement(parsing: "SELECT 'é'"))
        for bytes: [UInt8] in [[0xFF], [0xC3], [0x27, 0xED, 0xA0, 0x80, 0x27], [0xC0, 0x80]] {
            #expect(throws: QuerySyntaxError.self) { try Statement(parsing: Array("SELECT ".utf8) + bytes) }
        }
        #expect(throws: QuerySyntaxError.self) { try Statement(parsing: "SELECT a\0 FROM _") }
        #expect(throws: QuerySyntaxError.self) { try Statement(parsing: "\u{FEFF}SELECT a FROM _") }
    }

    @Test("a text that is cut off or damaged anywhere gives a tree or an error")
    func damage() throws {
        var random = SeededRandom()
        let texts = try QueryCase.otherGroups().flatMap { try QueryCase.cases($0) }.compactMap(\.query)
        let pieces = [
            "(", ")", "[", "]", "'", "`", ".", "*", "NOT ", "SELECT ", "IN ", "-", "/*", "1e", "$", "é", "AND ",
            "VALUE ", "ARRAY ", "\n",
        ]
        for text in texts {
            var characters = Array(text)
            let position = random.below(characters.count + 1)
            switch random.below(3) {
            case 0: characters.removeSubrange(position...)
            case 1: characters.insert(contentsOf: pieces[random.below(pieces.count)], at: position)
            default: characters.removeSubrange(position..<min(characters.count, position + random.below(4)))
            }
            let damaged = String(characters)
            guard let tree = try? Statement(parsing: damaged) else { continue }
            #expect((try? Statement(parsing: "\(tree)")) == tree, "seed \(random.seed): \(damaged)")
        }
    }
}
