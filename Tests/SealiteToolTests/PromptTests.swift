import Glibc
import SealiteFile
import Testing

@Suite("prompts", .serialized)
struct PromptTests {
    private let place: Workplace
    private let passphrase = "geheim wörter"

    init() throws { place = try Workplace() }

    private func makeWithPassphrase() throws {
        try place.write(passphrase, to: "typed")
        let made = try place.sealite("create", "a.db", "--passphrase-file", "typed", "--kdf-log-n", "5")
        #expect(made.status == 0)
    }

    @Test("a new passphrase is asked for twice, without echo")
    func newPassphrase() throws {
        let terminal = try PseudoTerminal(["create", "a.db", "--kdf-log-n", "5"], in: place)
        try terminal.wait(for: "New passphrase of a.db: ")
        #expect(!terminal.echoes)
        terminal.typeLine(passphrase)
        try terminal.wait(for: "New passphrase of a.db, again: ")
        terminal.typeLine(passphrase)
        #expect(terminal.finish() == 0)
        #expect(!terminal.screen.contains("geheim"))
        try place.write(passphrase, to: "typed")
        #expect(try place.sealite("key", "check", "a.db", "--passphrase-file", "typed").status == 0)
    }

    @Test("two passphrases that differ, or none, make nothing", arguments: [["a", "b"], [""]])
    func refusedPassphrases(lines: [String]) throws {
        let terminal = try PseudoTerminal(["create", "a.db", "--kdf-log-n", "5"], in: place)
        for line in lines {
            try terminal.wait(for: ": ")
            terminal.typeLine(line)
        }
        #expect(terminal.finish() == 64)
        #expect(place.names.isEmpty)
    }

    @Test(
        "an entry that is too long, or contains a NUL byte, is refused",
        arguments: ["\0a", String(repeating: "a", count: 1_025)])
    func unusable(_ entry: String) throws {
        let terminal = try PseudoTerminal(["create", "new.db"], in: place)
        try terminal.wait(for: "New passphrase of new.db: ")
        terminal.typeLine(entry)
        #expect(terminal.finish() == 64)
        #expect(terminal.screen.contains("the text typed at the terminal "), "\(terminal.screen)")
        #expect(!place.exists("new.db"))
    }

    @Test("the passphrase of a database is asked for once; three wrong ones end with 77")
    func unlocking() throws {
        try makeWithPassphrase()
        for (typed, status) in [(passphrase, 0), ("wrong", 77)] as [(String, CInt)] {
            let terminal = try PseudoTerminal(["key", "check", "a.db"], in: place)
            for _ in 0..<(status == 0 ? 1 : 3) {
                try terminal.wait(for: "Passphrase of a.db: ")
                terminal.typeLine(typed)
            }
            #expect(terminal.finish() == status)
        }
    }

    @Test("standard input that is no terminal is never asked over, unless --prompt is given")
    func promptFlag() throws {
        try makeWithPassphrase()
        try place.write("SELECT 6 * 7 AS answer;", to: "script")
        let silent = try PseudoTerminal(["sql", "a.db"], in: place, inputFile: "script")
        #expect(silent.finish() == 64)
        let asked = try PseudoTerminal(["sql", "a.db", "--prompt", "--csv"], in: place, inputFile: "script")
        try asked.wait(for: "Passphrase of a.db: ")
        asked.typeLine(passphrase)
        #expect(asked.finish() == 0)
        #expect(asked.screen.contains("42"))
        let never = try PseudoTerminal(["key", "check", "a.db", "--no-input"], in: place)
        #expect(never.finish() == 64)
    }

    @Test("a database without a passphrase slot asks nothing")
    func nothingToAsk() throws {
        try place.makeDatabase()
        let terminal = try PseudoTerminal(["key", "check", "a.db"], in: place)
        #expect(terminal.finish() == 77)
        #expect(terminal.screen.contains("has no key slot for a passphrase"))
        #expect(!terminal.screen.contains("Passphrase of"))
    }

    @Test("a signal at the prompt gives the terminal its echo back", arguments: [SIGINT, SIGTERM])
    func signals(signal: CInt) throws {
        let terminal = try PseudoTerminal(["create", "a.db"], in: place)
        try terminal.wait(for: "New passphrase of a.db: ")
        #expect(!terminal.echoes)
        terminal.child.send(signal)
        #expect(terminal.child.wait() == 128 + signal)
        #expect(terminal.echoes)
        #expect(place.names.isEmpty)
    }

    @Test("decrypt asks, and takes only yes for a yes", arguments: [("n", 1), ("", 1), ("yes", 0), ("y", 0)])
    func confirmation(answer: String, status: CInt) throws {
        try place.makeDatabase()
        let terminal = try PseudoTerminal(["decrypt", "a.db", "plain.db", "--key-file", "key"], in: place)
        try terminal.wait(for: "[y/N] ")
        terminal.typeLine(answer)
        #expect(terminal.finish() == status)
        #expect(place.exists("plain.db") == (status == 0))
    }

    @Test("a recovery key is shown on the terminal, and opens the database")
    func recoveryKey() throws {
        let terminal = try PseudoTerminal(["create", "a.db", "--key-file", "key", "--recovery-key"], in: place)
        #expect(terminal.finish() == 0)
        let shown = try #require(terminal.screen.firstMatch(of: /([A-Z2-7]{4}-){13}[A-Z2-7]{4}/))
        try place.write(String(shown.output.0), to: "paper")
        #expect(try place.sealite("key", "check", "a.db", "--recovery-key-file", "paper").status == 0)
    }

    @Test("a recovery key is shown before the slot is changed, so that no end of the process can lose it")
    func recoveryKeyBeforeChange() throws {
        try place.makeDatabase()
        let label = String(repeating: "x", count: 33)
        let terminal = try PseudoTerminal(
            ["key", "add", "a.db", "--key-file", "key", "--new-recovery-key", "--label", label], in: place)
        #expect(terminal.finish() == 64)
        #expect(terminal.screen.contains(/([A-Z2-7]{4}-){13}[A-Z2-7]{4}/), "\(terminal.screen)")
        #expect(terminal.screen.contains("isn't used: it opens nothing"), "\(terminal.screen)")
    }

    @Test("the SQL prompt runs statements, survives errors, and ^C stops a running one")
    func conversation() throws {
        try place.makeDatabase("a.db", "CREATE TABLE t(a)")
        let terminal = try PseudoTerminal(["sql", "a.db", "--key-file", "key"], in: place)
        try terminal.wait(for: "sealite> ")
        terminal.typeLine("INSERT INTO t VALUES ('typed');")
        try terminal.wait(for: "sealite> ")
        terminal.typeLine("SELEC;")
        try terminal.wait(for: "syntax error")
        terminal.typeLine("SELECT a || ' in' AS r")
        try terminal.wait(for: "...> ")
        terminal.typeLine("FROM t;")
        try terminal.wait(for: "typed in")
        terminal.typeLine("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT sum(i) FROM n;")
        terminal.child.waitUntilBusy()
        terminal.type("\u{3}")
        try terminal.wait(for: "interrupted")
        terminal.typeLine(".tables")
        try terminal.wait(for: "table")
        terminal.typeLine(".quit")
        #expect(terminal.finish() == 0)
    }

    @Test("progress on a terminal is a bar that goes away")
    func progressBar() throws {
        try place.makeDatabase("a.db", "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(3000000))")
        let terminal = try PseudoTerminal(["verify", "a.db", "--key-file", "key"], in: place)
        #expect(terminal.finish() == 0)
        #expect(terminal.screen.contains("[#") || terminal.screen.contains("[."))
        #expect(terminal.screen.contains("\u{1B}[K"))
    }

    @Test(
        "a second database is attached at the prompt, by a key's file or by a question, and no key is typed into the line"
    )
    func attaching() throws {
        try makeWithPassphrase()
        try place.makeDatabase("raw key.db", "CREATE TABLE t(x); INSERT INTO t VALUES ('found')")
        let terminal = try PseudoTerminal(["sql", "a.db", "--csv"], in: place)
        try terminal.wait(for: "Passphrase of a.db: ")
        terminal.typeLine(passphrase)
        try terminal.wait(for: "sealite> ")
        terminal.typeLine(".attach other 'raw key.db' 00112233")
        try terminal.wait(for: "never write a key on this line")
        terminal.typeLine(".attach other 'raw key.db' --key-file key")
        try terminal.wait(for: "sealite> ")
        terminal.typeLine("SELECT x FROM other.t;")
        try terminal.wait(for: "found")
        terminal.typeLine(".attach again a.db")
        try terminal.wait(for: "Passphrase of a.db: ")
        #expect(!terminal.echoes)
        terminal.typeLine(passphrase)
        try terminal.wait(for: "sealite> ")
        terminal.typeLine("SELECT count(*) || ' schemas' AS n FROM pragma_database_list;")
        try terminal.wait(for: "3 schemas")
        terminal.typeLine(".quit")
        #expect(terminal.finish() == 0)
    }
}
