import ArgumentParser
import SealiteTestSupport
import Testing

@testable import SealiteTool

/// Most command lines are read without swift-argument-parser; what is read must be what the parser reads.
@Suite("plain command lines")
struct PlainArgumentsTests {
    /// The words of each command that reads plain command lines, and how often words are drawn that may follow them.
    private static let commands: [(words: [String], own: [[String]])] = [
        (
            ["query"],
            [
                ["SELECT 1"], ["--param", "a=1"], ["--param", "a={\"b\": 2}"], ["--param-file", "f"], ["--csv"],
                ["--explain"],
                ["--measure"], ["--rows", "3"], ["--rows=0"], ["--rows", "-3"], ["--live"], ["--keyed-by", "id"],
            ]
        ),
        (
            ["sql"],
            [
                ["SELECT 1"], [".tables"], ["--param", "a=1"], ["--csv"], ["--read-only"], ["--raw"],
                ["--load-extension", "e.so"],
                ["--attach", "a=b.db"],
            ]
        ),
        (["doc", "get"], [["a"], ["b"], ["--revision", "1-a"], ["--collection", "s.c"], ["--collection=a.b.c"]]),
        (
            ["doc", "list"],
            [
                ["--prefix", "a"], ["--limit", "5"], ["--limit", "x"], ["--deleted"], ["--by-sequence"],
                ["--collection", "c"],
            ]
        ),
        (
            ["doc", "put"],
            [["a"], ["{\"a\": 1}"], ["-"], ["--new"], ["--if-revision", "1-a"], ["--collection", "_"]]
        ),
    ]

    private static let shared: [[String]] = [
        ["-k", "k"], ["--key-file", "k"], ["--key-file=k"], ["--key-file="], ["-kk"], ["-p", "p"],
        ["--passphrase-file", "p"],
        ["--passphrase-fd", "3"], ["--passphrase-fd", "x"], ["--passphrase-command", "pass show notes"],
        ["--recovery-key-file", "r"], ["--unlock-slot", "2"], ["--max-kdf-memory", "2G"], ["--store", "vault"],
        ["--vault", "v"],
        ["--prompt"], ["--no-input"], ["--freshness", "f"], ["--accept-rollback"], ["--timeout", "1.5"],
        ["--timeout", "-1"],
        ["--timeout=2"], ["--timeout", "2000000"], ["--json"], ["--quiet"], ["-q"], ["--verbose"], ["-v"], ["-qv"],
        ["--"],
        ["--help"], ["-h"], ["--version"], ["--help-keys"], ["--jsonn"], ["--json=1"], [""], ["--param"], ["-k=k"],
        ["word"], ["help"],
    ]

    /// Returns the parser's description of a command line; nil if it refuses it, or shows help.
    private func parsed(_ words: [String]) -> String? {
        guard let command = try? SealiteCommand.parseAsRoot(words), command is any PlainCommand else { return nil }
        return String(describing: command)
    }

    private func plain(_ words: [String]) -> String? { PlainCommands.command(words).map { String(describing: $0) } }

    @Test(
        "usual command lines are plain, and are read as the parser reads them",
        arguments: [
            ["query", "n.db", "SELECT 1", "-k", "k", "--json"], ["query", "n.db", "-k", "k"],
            ["query", "-k", "k", "n.db", "--param", "a=1", "SELECT $a", "--param=b=x y", "--csv", "--rows", "3"],
            ["query", "n.db", "SELECT 1", "--explain", "--measure", "--passphrase-file=p", "--timeout", "2.5"],
            ["query", "n.db", "SELECT 1", "--live", "--keyed-by", "id", "--no-input", "-q", "--freshness", "f"],
            ["sql", "n.db", "SELECT 1", "--key-file", "k", "--read-only"], ["sql", "n.db", ".tables", "-p", "p", "-v"],
            ["doc", "get", "n.db", "a", "b", "-k", "k"],
            ["doc", "get", "n.db", "a", "--revision", "1-a", "--collection", "s.c"],
            ["doc", "list", "n.db", "-k", "k", "--limit", "20", "--prefix", "a", "--deleted", "--by-sequence"],
            ["doc", "put", "n.db", "{\"a\": 1}", "-k", "k", "--json"], ["doc", "put", "n.db", "a", "{}", "--new"],
            ["query", "n.db", "SELECT 1", "--recovery-key-file", "r", "--unlock-slot", "2", "--prompt"],
        ])
    func usual(_ words: [String]) {
        let plain = plain(words)
        #expect(plain != nil)
        #expect(plain == parsed(words))
        // Reading a property that wasn't set would end the process.
        #expect(plain?.contains("*definition*") == false)
    }

    @Test(
        "what asks for help, is wrong or is spelled unusually is left to the parser",
        arguments: [
            [], ["--help"], ["help", "query"], ["query"], ["query", "--help"], ["query", "n.db", "--version"], ["doc"],
            ["doc", "get", "n.db"], ["query", "n.db", "SELECT 1", "word"], ["query", "n.db", "-k"],
            ["query", "n.db", "-k", "-q"],
            ["query", "n.db", "--key-file", "a", "--key-file", "b"], ["query", "n.db", "-k", "a", "--key-file", "b"],
            ["query", "n.db", "-q", "-v"], ["query", "n.db", "-qk", "k"], ["query", "n.db", "--rows", "x"],
            ["query", "n.db", "--rows", "0"],
            ["query", "n.db", "--param", "--json", "x"], ["query", "n.db", "--", "-k"], ["query", "n.db", "\u{FFFD}"],
            ["query", ""],
            ["query", "n.db", "--timeout", "-1"], ["query", "n.db", "--csv", "--json"],
            ["doc", "put", "n.db", "a", "-"],
            ["query", "n.db", "--help-keys"], ["---completion", "query", "--", "query", "0", "0"],
            ["-q", "query", "n.db"],
        ])
    func unusual(_ words: [String]) { #expect(plain(words) == nil) }

    @Test("command lines of random words are read as the parser reads them, or left to it")
    func random() throws {
        var random = SeededRandom()
        var count = 0
        for round in 0..<(Effort.current == .soak ? 20_000 : 150) {
            let (command, own) = Self.commands[round % Self.commands.count]
            var words = round.isMultiple(of: 10) ? [] : ["n.db"]
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                let from = Bool.random(using: &random) ? own : Self.shared
                words += try #require(from.randomElement(using: &random))
            }
            guard let plain = plain(command + words) else { continue }
            count += 1
            if plain != parsed(command + words) { Issue.record("\(command + words)") }
        }
        #expect(count > 20)
    }
}
