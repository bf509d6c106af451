import Testing

@testable import SealiteTool

@Suite("completion and the places of errors")
struct CompletionTests {
    @Test("an only candidate is taken, with the space behind it unless more of the word follows")
    func only() {
        #expect(Completion(typed: "SEL", candidates: ["SELECT"]).step == .replace(with: "SELECT "))
        #expect(Completion(typed: "COUN", candidates: ["COUNT("]).step == .replace(with: "COUNT("))
        #expect(Completion(typed: "wo", candidates: ["work."]).step == .replace(with: "work."))
        #expect(Completion(typed: "my", candidates: ["`my-notes`"]).step == .replace(with: "`my-notes` "))
        #expect(Completion(typed: "x", candidates: []).step == .nothing)
        #expect(Completion(typed: "S", candidates: ["SET", "SET"]).step == .replace(with: "SET "))
    }

    @Test("of several candidates what they have in common is taken, or they are listed")
    func several() {
        #expect(Completion(typed: "ST", candidates: ["STR_TO_TZ(", "STR_TO_UTC("]).step == .replace(with: "STR_TO_"))
        #expect(Completion(typed: "STR_TO_", candidates: ["STR_TO_TZ(", "STR_TO_UTC("]).step == .list)
        #expect(Completion(typed: "a", candidates: ["ab", "`a-b`"]).step == .list)
    }

    @Test("a list fits the terminal, has a limit, and holds no control characters")
    func list() {
        #expect(Completion(typed: "", candidates: ["b", "a", "c"]).list(columns: 6) == "a  b\nc\n")
        #expect(Completion(typed: "", candidates: ["a\u{1B}[2J"]).list(columns: 1) == "a\\x1b[2J\n")
        let many = Completion(typed: "", candidates: (0..<1000).map { "name\($0)" }).list(columns: 80)
        #expect(many.hasSuffix("and 800 more\n"))
    }

    @Test("words in upper case are completed in the letter case of what was typed")
    func letterCase() {
        #expect(["SELECT", "SET"].completing("sel") == ["select"])
        #expect(["SELECT", "SET"].completing("SE") == ["SELECT", "SET"])
    }

    @Test("the caret stands below the place, behind characters that are written as escapes too")
    func caret() throws {
        let place = try #require(ErrorLocation(ofMessage: "line 2, column 3: wrong"))
        #expect(place.pointer(in: "SELECT\n\u{1B}üx\n") == "  \\x1büx\n       ^\n")
        #expect(ErrorLocation(offset: 3, in: "aüb").pointer(in: "aüb") == "  aüb\n    ^\n")
        #expect(ErrorLocation(offset: 7, in: "one\ntwo three").pointer(in: "one\ntwo three") == "  two three\n     ^\n")
        #expect(ErrorLocation(offset: 99, in: "a").pointer(in: "a") == "  a\n   ^\n")
        let long = String(repeating: "a", count: 200) + "!" + String(repeating: "b", count: 200)
        let lines = ErrorLocation(offset: 200, in: long).pointer(in: long).split(separator: "\n").map(Array.init)
        #expect(lines.count == 2 && lines[0].count < 80 && lines[0][lines[1].count - 1] == "!")
        #expect(ErrorLocation(ofMessage: "line 9: wrong") == nil)
        #expect(ErrorLocation(ofMessage: "line 99999999999999999999, column 1: x") == nil)
        #expect(try #require(ErrorLocation(ofMessage: "line 9, column 1: x")).pointer(in: "a") == "")
    }
}

@Suite("the history of a prompt")
struct LineHistoryTests {
    private struct NoMemory: Error {}

    private func makeHistory() throws -> LineHistory {
        guard let history = LineHistory() else { throw NoMemory() }
        return history
    }

    @Test("the history of a prompt keeps no more entries than its limit, the newest ones")
    func count() throws {
        var history = try makeHistory()
        for number in 0..<2000 {
            history.add("\(number)")
            let count = history.entries.count
            #expect(count <= LineHistory.countLimit)
        }
        let entries = history.entries
        #expect(entries.last == "1999" && entries.count > LineHistory.countLimit * 3 / 4)
    }

    @Test("the history of a prompt keeps no more bytes than its limit, and no entry that is larger")
    func bytes() throws {
        var history = try makeHistory()
        history.add(String(repeating: "x", count: LineHistory.byteLimit + 1))
        let isEmpty = history.entries.isEmpty
        #expect(isEmpty)
        for number in 0..<40 { history.add("\(number)" + String(repeating: "x", count: 100_000)) }
        let sizes = history.entries.map(\.utf8.count)
        #expect(sizes.reduce(0, +) <= LineHistory.byteLimit && sizes.count > 5)
        let last = history.entries.last ?? ""
        #expect(last.hasPrefix("39"))
    }

    @Test("a text that is repeated, or empty, is no further entry")
    func repeated() throws {
        var history = try makeHistory()
        for text in ["a", "a", "", "b", "a"] { history.add(text) }
        let entries = history.entries
        #expect(entries == ["a", "b", "a"])
    }
}
