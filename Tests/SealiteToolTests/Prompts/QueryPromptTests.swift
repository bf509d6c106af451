import Foundation
import Glibc
import Testing

@Suite("the prompt of sealite query", .serialized)
struct QueryPromptTests {
    private let place: Workplace
    private let environment: [String: String]

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
        for name in ["people", "my-notes", "work.meetings"] {
            _ = try place.sealite("collection", "create", "a.db", name, "--key-file", "key")
        }
        let documents = [#"{"name":"Ann","age":30}"#, #"{"name":"B\u001bb","age":40}"#, #"{"name":"Cem","age":50}"#]
        for (id, document) in zip(["a", "b", "c"], documents) {
            _ = try place.sealite("doc", "put", "a.db", id, document, "--key-file", "key")
        }
        for folder in ["home", "temporary"] {
            try FileManager.default.createDirectory(atPath: place.file(folder), withIntermediateDirectories: false)
        }
        environment = ["HOME": place.file("home"), "TMPDIR": place.file("temporary"), "TERM": "xterm", "LC_ALL": "C"]
    }

    private func begin(_ options: String...) throws -> PseudoTerminal {
        let terminal = try PseudoTerminal(
            ["query", "a.db", "--key-file", "key"] + options, in: place, environment: environment)
        try terminal.wait(for: "sealite> ")
        return terminal
    }

    /// Waits for the prompt, for ^D is lost while no line is read, and leaves.
    private func end(_ terminal: PseudoTerminal) throws {
        try terminal.wait(for: "sealite> ")
        terminal.type("\u{4}")
        #expect(terminal.finish() == 0)
    }

    /// A query that computes for hours.
    private static let endless =
        "SELECT COUNT(*) AS n FROM _ x0"
        + (1...20).map { " JOIN _ x\($0) ON TRUE" }.joined()

    @Test("statements run, over one line or several, and ^D ends with exit code 0")
    func statements() throws {
        let terminal = try begin("--csv")
        terminal.typeLine("SELECT UPPER(name) AS u FROM _ WHERE age = 30;")
        try terminal.wait(for: "ANN")
        try terminal.wait(for: "sealite> ")
        terminal.typeLine("SELECT LOWER(name) AS l,")
        try terminal.wait(for: "   ...> ")
        terminal.typeLine("';' AS s -- not the end;")
        try terminal.wait(for: "   ...> ")
        terminal.typeLine("FROM _ WHERE age = 30;")
        try terminal.wait(for: "ann,;")
        terminal.typeLine("")
        try terminal.wait(for: "sealite> ")
        terminal.typeLine("UPDATE _ SET age = 31 WHERE name = 'Ann'; SELECT age + 5 AS a FROM _ WHERE name = 'Ann';")
        try terminal.wait(for: "changed 1 document")
        try terminal.wait(for: "36")
        terminal.typeLine("SELECT REVERSE('grüß') AS r FROM _ LIMIT 1;")
        try terminal.wait(for: "ßürg")
        try end(terminal)
    }

    @Test("the arrow up brings back what was typed, a statement of several lines whole")
    func history() throws {
        let terminal = try begin("--csv")
        terminal.typeLine("SELECT name")
        try terminal.wait(for: "...> ")
        terminal.typeLine("FROM _ WHERE age = 50;")
        try terminal.wait(for: "Cem\r\n")
        try terminal.wait(for: "sealite> ")
        terminal.typeLine(".timer off")
        try terminal.wait(for: "sealite> ")
        terminal.type("\u{1B}[A\u{1B}[A")
        try terminal.wait(for: "age = 50;")
        terminal.typeLine("")
        try terminal.wait(for: "Cem\r\n")
        try end(terminal)
    }

    @Test("Tab completes keywords, functions, collections and commands, quotes names, and lists what is ambiguous")
    func completion() throws {
        let terminal = try begin("--csv")
        terminal.type("SEL\t")
        try terminal.wait(for: "ECT ")
        terminal.type("COUN\t")
        try terminal.wait(for: "T(")
        terminal.type("*) * 25 AS n fro\t")
        try terminal.wait(for: "m ")
        terminal.type("peo\t")
        try terminal.wait(for: "ple ")
        terminal.typeLine(";")
        try terminal.wait(for: "n\r\n0\r\n")
        terminal.type("SELECT * FROM my\t")
        try terminal.wait(for: "`my-notes` ")
        terminal.type("JOIN work.\t")
        try terminal.wait(for: "meetings ")
        terminal.type("\u{3}")
        try terminal.wait(for: "sealite> ")
        terminal.type("UN\t")
        for word in ["UNBOUNDED", "UNION", "UNNEST", "UNSET", "sealite> "] { try terminal.wait(for: word) }
        terminal.type("\u{3}")
        try terminal.wait(for: "sealite> ")
        terminal.type(".coll\t")
        try terminal.wait(for: "ections ")
        terminal.typeLine("")
        try terminal.wait(for: "work.meetings  0 documents")
        terminal.typeLine(".quit")
        #expect(terminal.finish() == 0)
    }

    @Test("^C gives up a line and stops a running query or change, and the prompt comes back")
    func interruption() throws {
        let terminal = try begin("--csv")
        terminal.type("SELECT nothing FROM")
        try terminal.wait(for: "nothing FROM")
        terminal.type("\u{3}")
        try terminal.wait(for: "^C\r\nsealite> ")
        terminal.typeLine("SELECT 'given up',")
        try terminal.wait(for: "...> ")
        terminal.type("\u{3}")
        try terminal.wait(for: "^C\r\nsealite> ")
        for statement in [Self.endless + ";", "UPDATE _ SET age = (\(Self.endless))[0];"] {
            terminal.typeLine(statement)
            terminal.child.waitUntilBusy()
            terminal.type("\u{3}")
            try terminal.wait(for: "sealite: interrupted")
            try terminal.wait(for: "sealite> ")
        }
        terminal.typeLine("SELECT SUM(age) AS s FROM _;")
        try terminal.wait(for: "s\r\n120\r\n")
        try end(terminal)
    }

    @Test("an error shows its place, and the prompt goes on; what comes from documents can't steer the terminal")
    func errors() throws {
        let terminal = try begin()
        terminal.typeLine("SELECT name FRM _;")
        try terminal.wait(for: "  SELECT name FRM _;\r\n              ^\r\nsealite: line 1, column 13: ")
        try terminal.wait(for: "sealite> ")
        terminal.typeLine("SELECT * FROM nowhere;")
        try terminal.wait(for: "                ^\r\nsealite: ")
        terminal.typeLine("SELECT name FROM _ WHERE age = 40;")
        try terminal.wait(for: "B\\x1bb")
        terminal.typeLine(".nothing")
        try terminal.wait(for: "there is no command .nothing")
        terminal.typeLine(".mode xml")
        try terminal.wait(for: ".mode takes table, json or csv")
        terminal.typeLine(".quit")
        #expect(terminal.finish() == 0)
    }

    @Test("commands show collections, indexes, plans and times, and change how rows are written")
    func commands() throws {
        _ = try place.sealite("index", "create", "a.db", "age", "--on", "age", "--key-file", "key")
        let terminal = try begin()
        for (command, answer) in [
            (".help", ".explain QUERY"), (".collections", "_default._default  3 documents"),
            (".indexes", "_default._default  age"), (".explain SELECT name FROM _ WHERE age = 30", "the index age"),
            (".explain", "takes a query"), (".timer on", "sealite> "), (".mode json", "sealite> "),
            ("SELECT age FROM _ WHERE age = 30;", "[{\"age\":30}]\r\ntime 0."), (".exit", "\r\n"),
        ] {
            terminal.typeLine(command)
            try terminal.wait(for: answer)
        }
        #expect(terminal.finish() == 0)
    }

    @Test("parameters of the command line are for every statement that has them")
    func parameters() throws {
        let terminal = try begin("--csv", "--param", "age=30")
        terminal.typeLine("SELECT name FROM _ WHERE age = $age;")
        try terminal.wait(for: "Ann\r\n")
        terminal.typeLine("SELECT COUNT(*) + 40 AS n FROM _;")
        try terminal.wait(for: "43\r\n")
        try end(terminal)
    }

    @Test("^C that discards what was typed just before gives up the line, however soon it comes")
    func interruptBehindText() throws {
        let terminal = try begin("--csv")
        for round in 0..<100 {
            if round > 0 { try terminal.wait(for: "sealite> ") }
            // At ^C the terminal discards unread input, which the prompt may already have been told of.
            terminal.type("SELECT 1")
            terminal.type(" AS one\u{3}")
            try terminal.wait(for: "^C\r\n")
        }
        try end(terminal)
    }

    @Test("nothing that is typed is written to a file, and the editor's own settings aren't read")
    func noFiles() throws {
        try place.write("bind -v\nbind ^C ed-newline\n", to: "home/.editrc")
        let terminal = try begin("--csv")
        terminal.typeLine("SELECT 'secret-word' AS s FROM _ LIMIT 1;")
        try terminal.wait(for: "s\r\nsecret-word")
        try terminal.wait(for: "sealite> ")
        // Of vi: out of insertion, and the line into an editor. Of emacs: the editor's command line.
        terminal.type("secret-word\u{1B}v")
        terminal.type("\u{1B}xbind -v\u{3}")
        try terminal.wait(for: "^C\r\nsealite> ")
        terminal.type("SELECT 1\u{3}")
        try terminal.wait(for: "^C\r\n")
        let everything = try place.run(["grep", "-r", "-l", "secret-word", "."])
        #expect(everything.out.isEmpty)
        try end(terminal)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.file("home")) == [".editrc"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.file("temporary")).isEmpty)
        #expect(place.names == ["a.db", "home", "temporary"])
    }

    @Test("a passphrase is asked for first, and isn't in the history")
    func passphrase() throws {
        _ = try place.sealite("create", "b.db", "--passphrase-file", "passphrase", "--kdf-log-n", "5")
        let terminal = try PseudoTerminal(["query", "b.db", "--csv"], in: place, environment: environment)
        try terminal.wait(for: "Passphrase of b.db: ")
        terminal.typeLine("open sesame")
        try terminal.wait(for: "sealite> ")
        terminal.type("\u{1B}[A\u{1B}[A")
        terminal.typeLine("SELECT COUNT(*) + 77 AS n FROM _;")
        try terminal.wait(for: "77\r\n")
        try end(terminal)
        #expect(!terminal.screen.contains("sesame"))
        let home = try FileManager.default.contentsOfDirectory(atPath: place.file("home"))
        #expect(home.isEmpty)
    }

    @Test("a signal at the prompt ends the process and gives the terminal its echo back", arguments: [SIGTERM, SIGHUP])
    func signals(signal: CInt) throws {
        let terminal = try begin()
        terminal.type("SELECT")
        try terminal.wait(for: "SELECT")
        #expect(!terminal.echoes)
        terminal.child.send(signal)
        #expect(terminal.child.wait() == 128 + signal)
        #expect(terminal.echoes)
    }

    @Test("a process that was stopped shows the line again and goes on")
    func stopped() throws {
        let terminal = try begin("--csv")
        terminal.type("SELECT COUNT(*) + 60 AS n")
        try terminal.wait(for: "+ 60 AS n")
        terminal.child.send(SIGSTOP)
        terminal.child.send(SIGCONT)
        try terminal.wait(for: "sealite> SELECT COUNT(*) + 60 AS n")
        terminal.typeLine(" FROM _;")
        try terminal.wait(for: "63\r\n")
        try end(terminal)
    }

    // MARK: - Without a terminal

    @Test("standard input that is no terminal is a script, which ends at its first statement that fails")
    func script() throws {
        func run(_ script: String, _ options: String...) throws -> Outcome {
            try place.run([Tool.path, "query", "a.db", "--key-file", "key"] + options, input: script)
        }
        let ran = try run(
            "SELECT name\nFROM _ WHERE age = $age; SELECT COUNT(*) AS n FROM _", "--csv", "--param", "age=30")
        #expect(ran.status == 0 && ran.out == "name\nAnn\nn\n3\n" && ran.err.isEmpty)
        let failed = try run(
            "SELECT name FROM _ WHERE age = 30;\n\nSELECT name FRM _;\nDELETE FROM _;", "--csv", "--json")
        #expect(failed.status == 64)
        let stopped = try run("SELECT name FROM _ WHERE age = 30;\n\nSELECT name FRM _;\nDELETE FROM _;", "--csv")
        #expect(stopped.status == 64 && stopped.out == "name\nAnn\n")
        #expect(stopped.err.contains("in the statement that begins on line 3: line 1, column 13: "))
        #expect(try run("SELECT COUNT(*) AS n FROM _;", "--json").out == "[{\"n\":3}]\n")
        #expect(try run("").status == 0 && run("-- nothing\n").status == 0)
        #expect(try run("SELECT 'no end FROM _;").status == 64)
        let both = try place.sealite("query", "a.db", "--passphrase-fd", "0")
        #expect(both.status == 64 && both.err.contains("can't hold both"))
    }
}
