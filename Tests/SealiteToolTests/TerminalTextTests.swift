import Foundation
import SealiteDatabase
import SealiteFile
import SealiteQuery
import Testing

@testable import SealiteTool

@Suite("text from databases on a terminal")
struct TerminalTextTests {
    /// Characters that a terminal obeys: C0, DEL, C1, and two that change the direction of writing.
    private static let controls = "\u{1B}]0;x\u{7}\u{7F}\u{9B}31m\u{202E}\u{2066}"
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
        let database = try Database(file: try place.open())
        let collection = try database.defaultCollection()
        let content = Blob(contentType: nil, bytes: Array(Self.controls.utf8) + [0x9B, 0x0A])
        try collection.save(
            document: MutableDocument(id: "a").setString(Self.controls, forKey: "x").setBlob(content, forKey: "blob"))
        try collection.createIndex(withName: "i" + Self.controls, config: ValueIndexConfiguration(["x"]))
        try database.createCollection(name: "other")
        try database.close()
        // No command makes such a name; a file made by somebody else may have it.
        try place.open().connect().execute(
            "UPDATE collections SET name = 'c' || char(27) || '[31m' || char(0x9B) || char(0x202E) WHERE name = 'other'"
        )
        try place.makeDatabase(
            "s.db", "CREATE TABLE \"t\u{9B}\"(a); INSERT INTO \"t\u{9B}\" VALUES ('\(Self.controls)')")
    }

    @Test(
        "nothing that a command writes can steer a terminal, and a file gets every byte unchanged",
        arguments: [
            ["query", "a.db", "SELECT x FROM _ WHERE x = 'y'", "--explain"],
            ["query", "a.db", "SELECT x FROM _ WHERE x = 'y'", "--explain", "--json"],
            ["query", "a.db", "SELECT x FROM _", "--csv"], ["query", "a.db", "SELECT x FROM _", "--json"],
            ["export", "a.db", "-"], ["doc", "get", "a.db", "a"], ["blob", "get", "a.db", "a", "blob", "-"],
            ["index", "list", "a.db"], ["index", "list", "a.db", "--json"],
            ["mongo", "find", "a.db", "_default", "{}"],
            ["sql", "s.db", ".dump"], ["sql", "s.db", ".schema"], ["sql", "s.db", "SELECT * FROM t\u{9B}", "--csv"],
            ["query", "a.db", "SELECT \u{9B}31m FROM"], ["doc", "get", "a.db", "\u{202E}\u{9B}31m"],
        ])
    func harmless(command: [String]) throws {
        let terminal = try PseudoTerminal(command + ["--key-file", "key"], in: place)
        _ = terminal.finish()
        // The tool's own way to replace a line of progress.
        let shown = terminal.screen.replacing("\u{1B}[K", with: "").unicodeScalars
        #expect(!shown.isEmpty)
        let obeyed = shown.filter { $0.isControl && $0 != "\n" && $0 != "\r" && $0 != "\t" }
        #expect(obeyed.isEmpty, "\(terminal.screen.debugDescription)")
        guard ["export", "blob"].contains(command[0]) || command.contains(".dump") else { return }
        let ran = try place.run([Tool.path] + command + ["--key-file", "key"])
        #expect(ran.out.contains("\u{9B}31m\u{202E}\u{2066}"), "\(ran)")
    }

    @Test("the names of collections in a file of somebody else can't steer a terminal")
    func names() throws {
        let terminal = try PseudoTerminal(["collection", "list", "a.db", "--key-file", "key"], in: place)
        _ = terminal.finish()
        #expect(!terminal.screen.unicodeScalars.contains { $0.isControl && $0 != "\n" && $0 != "\r" })
    }

    @Test("escapes keep the meaning of JSON, and lines and tabs stay")
    func escapes() {
        #expect(
            TerminalText.harmless("a\tb\n\"\u{1B}[31m\u{9B}\u{202E}\u{7F}é\r\"")
                == "a\tb\n\"\\u001b[31m\\u009b\\u202e\\u007fé\\r\"")
        #expect(TerminalText.harmless("plain") == "plain")
    }
}
