import Glibc
import Testing

@Suite("the prompt of sealite sql", .serialized)
struct SQLPromptTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase(
            "a.db", "CREATE TABLE people(name, \"zip code\", age); INSERT INTO people VALUES ('Ann', 1990, 30)")
    }

    private func begin(_ options: String...) throws -> PseudoTerminal {
        let terminal = try PseudoTerminal(
            ["sql", "a.db", "--key-file", "key"] + options, in: place, environment: ["TERM": "xterm"])
        try terminal.wait(for: "sealite> ")
        return terminal
    }

    /// Waits for the prompt, for ^D is lost while no line is read, and leaves.
    private func end(_ terminal: PseudoTerminal) throws {
        try terminal.wait(for: "sealite> ")
        terminal.type("\u{4}")
        #expect(terminal.finish() == 0)
    }

    @Test("Tab completes SQL's keywords, tables and columns")
    func completion() throws {
        let terminal = try begin("--csv")
        terminal.type("sele\t")
        try terminal.wait(for: "ct ")
        terminal.type("\"x\" || zi\t")
        try terminal.wait(for: "\"zip code\" ")
        terminal.type("from peo\t")
        try terminal.wait(for: "ple ")
        terminal.typeLine(";")
        try terminal.wait(for: "x1990")
        terminal.type("INSERT INTO people VALUES ('peo\t")
        terminal.typeLine("', 1, 2);")
        try terminal.wait(for: "sealite> ")
        terminal.typeLine("SELECT '<' || name || '>' AS n FROM people WHERE age = 2;")
        try terminal.wait(for: "<peo    >")
        try end(terminal)
    }

    @Test("the arrow up brings a statement back, and an error shows its place")
    func historyAndErrors() throws {
        let terminal = try begin("--csv")
        terminal.typeLine("SELECT name,")
        try terminal.wait(for: "...> ")
        terminal.typeLine("nam FROM people;")
        try terminal.wait(for: "  nam FROM people;\r\n  ^\r\nsealite: ")
        try terminal.wait(for: "sealite> ")
        terminal.typeLine("SELECT age + 12 AS a FROM people WHERE name = 'Ann';")
        try terminal.wait(for: "42\r\n")
        try terminal.wait(for: "sealite> ")
        terminal.typeLine("\u{1B}[A")
        try terminal.wait(for: "42\r\n")
        terminal.typeLine(".indexes")
        try terminal.wait(for: "sealite> ")
        terminal.typeLine(".explain SELECT * FROM people")
        try terminal.wait(for: "SCAN people")
        terminal.typeLine(".mode json")
        try terminal.wait(for: "sealite> ")
        terminal.typeLine("SELECT age FROM people;")
        try terminal.wait(for: "[{\"age\":30}]")
        try end(terminal)
    }

    @Test("^C gives up a line, and a transaction that is open at the end is said to be lost")
    func givenUp() throws {
        let terminal = try begin()
        terminal.type("DELETE FROM people")
        try terminal.wait(for: "DELETE FROM people")
        terminal.type("\u{3}")
        try terminal.wait(for: "^C\r\nsealite> ")
        terminal.typeLine("BEGIN;")
        try terminal.wait(for: "sealite> ")
        terminal.type("\u{4}")
        try terminal.wait(for: "rolled back")
        #expect(terminal.finish() == 0)
    }
}
