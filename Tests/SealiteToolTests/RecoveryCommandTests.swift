import Foundation
import SealiteCrypto
import SealiteMaintenance
import Testing

@testable import SealiteFile

@Suite("recovery slots on the command line")
struct RecoveryCommandTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private func create() throws {
        #expect(try place.sealite("create", "a.db", "--key-file", "key", "--recovery-key-file", "paper").status == 0)
    }

    /// Makes slot 2 of both header copies one of kind 3, which was removed, with a checksum that fits.
    private func makeRemovedSlot() throws {
        var bytes = try place.read("a.db")
        for start in [0, 4096] {
            bytes.replaceSubrange(start + 640 + 16..<start + 640 + 20, with: [3, 0, 0, 0])
            let sum = try SHA256.digest(of: Array(bytes[start..<start + 4072])).prefix(24)
            bytes.replaceSubrange(start + 4072..<start + 4096, with: sum)
        }
        try place.write(bytes, to: "a.db")
    }

    @Test("a file with a recovery slot of the removed kind is refused by every command, with the way out")
    func removedSlot() throws {
        try create()
        try makeRemovedSlot()
        let before = try place.read("a.db")
        for command in [
            ["info", "a.db"], ["key", "list", "a.db"], ["key", "check", "a.db", "--key-file", "key"],
            ["sql", "a.db", "SELECT 1", "--recovery-key-file", "paper"], ["verify", "a.db", "--key-file", "key"],
            ["key", "rotate", "a.db", "--key-file", "key", "--drop-slot", "2"],
            ["key", "remove", "a.db", "--slot", "2", "--key-file", "key"],
            ["backup", "a.db", "b.db", "--key-file", "key"], ["header", "backup", "a.db", "header"],
            ["header", "accept", "a.db", "--key-file", "key"],
        ] {
            let refused = try place.run([Tool.path] + command)
            #expect(refused.status == 80, "\(command): \(refused)")
            #expect(refused.err.contains("kind 3") && refused.err.contains("sealite export"), "\(command): \(refused)")
        }
        #expect(try place.read("a.db") == before && !place.exists("b.db") && !place.exists("header"))
    }

    @Test("a freshness record of the removed format is refused, and the error says how to make a new one")
    func removedRecord() throws {
        try create()
        let text = """
            {"format": "sealite freshness 1", "databaseID": "\(String(repeating: "0", count: 32))", "epoch": 1,
            "counter": "1", "serial": 1, "digest": "\(String(repeating: "0", count: 64))"}
            """
        try place.write(text, to: "record")
        for command in [["freshness", "check", "a.db", "record"], ["freshness", "record", "a.db", "record"]] {
            let refused = try place.run([Tool.path] + command + ["--key-file", "key"])
            #expect(refused.status == 80 && refused.err.contains("'sealite freshness record'"), "\(refused)")
        }
        #expect(try place.read("record") == Array(text.utf8))
    }

    @Test("a slot that is to be kept and to be dropped is a mistake, however it is kept")
    func keptAndDropped() throws {
        try create()
        let fingerprint = try #require(
            SealedDatabase.publicHeader(of: place.file("a.db")).slots.compactMap(\.fingerprint).first)
        let before = try place.read("a.db")
        for options in [["--keep-recovery", fingerprint], ["--also-recovery-key-file", "paper"]] {
            let both = try place.run(
                [Tool.path, "key", "rotate", "a.db", "--key-file", "key", "--drop-slot", "2"] + options)
            #expect(
                both.status == 64 && both.err.contains("key slot 2 is both to be kept and to be dropped"), "\(both)")
        }
        let own = try place.sealite(
            "key", "rotate", "a.db", "--recovery-key-file", "paper", "--also-key-file", "key", "--keep-recovery",
            fingerprint.uppercased(), "--drop-slot", "2")
        #expect(own.status == 64, "\(own)")
        #expect(try place.read("a.db") == before)
    }

    @Test(
        "a rotation asks about each recovery slot on the terminal, and drops none by a slip",
        arguments: [
            ("keep", true, 0), (" Keep ", true, 0), ("drop", false, 0), ("", true, 64), ("y", true, 64),
            ("dorp", true, 64),
        ])
    func asked(answer: String, isKept: Bool, expected: Int32) throws {
        try create()
        let terminal = try PseudoTerminal(["key", "rotate", "a.db", "--key-file", "key"], in: place)
        try terminal.wait(for: "Keep or drop this recovery slot? [keep/drop] ")
        #expect(terminal.screen.contains("slot 2: recovery, \"recovery\", fingerprint "))
        let header = try place.read("a.db").prefix(8192)
        terminal.typeLine(answer)
        #expect(terminal.finish() == expected)
        #expect((try place.read("a.db").prefix(8192) == header) == (expected != 0))
        let status = try place.sealite("key", "check", "a.db", "--recovery-key-file", "paper").status
        #expect(status == (isKept ? 0 : 77))
    }

    @Test("the recovery key itself keeps its slot, and the key that opened the file its own")
    func supplied() throws {
        try create()
        let rotated = try place.sealite(
            "key", "rotate", "a.db", "--key-file", "key", "--also-recovery-key-file", "paper")
        #expect(rotated.status == 0, "\(rotated)")
        let byRecovery = try place.sealite(
            "key", "rotate", "a.db", "--recovery-key-file", "paper", "--also-key-file", "key")
        #expect(byRecovery.status == 0, "\(byRecovery)")
        #expect(try place.sealite("key", "check", "a.db", "--recovery-key-file", "paper").status == 0)
        #expect(try place.sealite("key", "check", "a.db", "--key-file", "key").status == 0)
    }

    @Test("a recovery key on the terminal is labelled with its database and its fingerprint")
    func labelled() throws {
        try place.makeDatabase("notes.db")
        let terminal = try PseudoTerminal(
            ["key", "add", "notes.db", "--key-file", "key", "--new-recovery-key"], in: place)
        try terminal.wait(for: "added key slot 2")
        #expect(terminal.finish() == 0)
        let slots = try SealedDatabase.publicHeader(of: place.file("notes.db")).slots
        let fingerprint = try #require(slots.compactMap(\.fingerprint).first)
        let label = try #require(terminal.screen.range(of: "Recovery key of \"notes.db\", fingerprint \(fingerprint)"))
        let key = try #require(terminal.screen.firstMatch(of: #/([A-Z2-7]{4}-){13}[A-Z2-7]{4}/#))
        #expect(label.upperBound <= key.range.lowerBound)
    }

    @Test("a change of slots moves the freshness record, and the header before it doesn't pass any more")
    func floor() throws {
        try create()
        #expect(try place.sealite("freshness", "record", "a.db", "record", "--key-file", "key").status == 0)
        let old = try place.read("a.db")
        let removed = try place.sealite(
            "key", "remove", "a.db", "--slot", "2", "--key-file", "key", "--freshness", "record")
        #expect(removed.status == 0, "\(removed)")
        #expect(try place.sealite("key", "check", "a.db", "--key-file", "key", "--freshness", "record").status == 0)
        let new = try place.read("a.db")
        let forged = Array(old[..<8192]) + Array(new[8192...])
        try place.write(forged, to: "a.db")
        // Without the record nothing in the file tells.
        #expect(try place.sealite("key", "check", "a.db", "--recovery-key-file", "paper").status == 0)
        for command in [
            ["key", "rotate", "a.db", "--drop-slot", "2"], ["key", "check", "a.db"], ["verify", "a.db"],
            ["key", "add", "a.db", "--new-key-file", "key"],
        ] {
            let refused = try place.run([Tool.path] + command + ["--key-file", "key", "--freshness", "record"])
            #expect(refused.status == 79, "\(command)")
        }
        #expect(try place.read("a.db") == forged)
    }
}
