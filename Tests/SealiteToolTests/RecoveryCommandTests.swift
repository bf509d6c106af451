import Foundation
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

    /// Copies a golden file, and gives its keys.
    private func copyGolden(_ name: String, to copy: String) throws -> [[String: Any]] {
        let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Fixtures/Golden/\(name)").standardizedFileURL.path
        try place.write([UInt8](try Data(contentsOf: URL(fileURLWithPath: golden + ".db"))), to: copy)
        let note = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: golden + ".json")))
                as? [String: Any])
        return try #require(note["keys"] as? [[String: Any]])
    }

    /// A file with one recovery slot as earlier versions made it, and its key.
    private func copyOldFile() throws {
        try place.write(try #require(try copyGolden("slot-recovery", to: "old.db")[0]["paper"] as? String), to: "paper")
    }

    @Test(
        "a file that an old slot opens is opened with a warning on standard error, and named by info, verify and audit")
    func oldSlot() throws {
        try copyOldFile()
        let rows = try place.sealite(
            "sql", "old.db", "SELECT count(*) AS n FROM notes", "--csv", "--recovery-key-file", "paper")
        #expect(rows.status == 0 && rows.out == "n\n40\n")
        #expect(
            rows.err.hasPrefix("warning: \"old.db\": key slot 1 is a recovery slot of an earlier version"), "\(rows)")
        let asJSON = try place.sealite("key", "check", "old.db", "--json", "--recovery-key-file", "paper")
        #expect(asJSON.json?["warning"] as? String == "unauthenticated-slot", "\(asJSON)")
        #expect(Outcome.object(asJSON.out)?["kind"] as? String == "recovery-unauthenticated")
        #expect(try place.sealite("info", "old.db").out.contains("doesn't prove who made the file"))
        let verified = try place.sealite("verify", "old.db", "--recovery-key-file", "paper")
        #expect(
            verified.status == 0 && verified.out.contains("note: key slot 1: a recovery slot of an earlier version"))
        let audited = try place.sealite("audit", "old.db", "--recovery-key-file", "paper")
        #expect(audited.out.contains("there is something to act on"))
        let copied = try place.sealite("restore", "old.db", "b.db", "--recovery-key-file", "paper")
        #expect(copied.status == 0 && copied.err.contains("warning: \"old.db\""))
        #expect(copied.err.contains("\"b.db\": key slot 1 stays a recovery slot of an earlier version"), "\(copied)")
    }

    @Test("a change of keys by an old slot needs a freshness record or --trust-file, and says what it replaces")
    func replacedSlot() throws {
        try copyOldFile()
        let before = try place.read("old.db")
        let add = ["key", "add", "old.db", "--recovery-key-file", "paper", "--new-key-file", "key"]
        for command in [
            add, ["key", "rotate", "old.db", "--recovery-key-file", "paper"],
            ["key", "change", "old.db", "--recovery-key-file", "paper", "--new-recovery-key-file", "new"],
        ] {
            let refused = try place.run([Tool.path] + command)
            #expect(refused.status == 77 && refused.err.contains("--trust-file"), "\(refused)")
            #expect(refused.err.contains("--freshness"))
        }
        #expect(try place.read("old.db") == before && !place.exists("new"))
        let changed = try place.run([Tool.path] + add + ["--trust-file"])
        #expect(changed.status == 0 && changed.err.contains("is replaced by one that proves"), "\(changed)")
        let again = try place.sealite("key", "check", "old.db", "--recovery-key-file", "paper")
        #expect(again.status == 0 && again.err.isEmpty && again.out.hasPrefix("opens slot 1: recovery, fingerprint "))
        #expect(try place.sealite("verify", "old.db", "--key-file", "key").out.contains("note") == false)
    }

    @Test("a rotation keeps an old slot without its key only where it is told so, and names it")
    func keptOldSlot() throws {
        let keys = try copyGolden("slots-recovery-both", to: "both.db")
        try place.write(hexBytes(try #require(keys[0]["hex"] as? String)), to: "raw")
        try place.write(try #require(keys[2]["paper"] as? String), to: "paper")
        let slots = try SealedDatabase.publicHeader(of: place.file("both.db")).slots
        let old = try #require(slots.first { !$0.isAuthenticated }?.fingerprint)
        let new = try #require(slots.first { $0.kind == .recovery }?.fingerprint)
        let rotate = ["key", "rotate", "both.db", "--key-file", "raw", "--keep-recovery", new]
        let refused = try place.run([Tool.path] + rotate + ["--keep-recovery", old])
        #expect(refused.status == 77 && refused.err.contains("--keep-unauthenticated"), "\(refused)")
        let kept = try place.run([Tool.path] + rotate + ["--keep-recovery", old, "--keep-unauthenticated"])
        #expect(kept.status == 0 && kept.err.contains("stays a recovery slot of an earlier version"), "\(kept)")
        let copied = try place.sealite("backup", "both.db", "copy.db", "--key-file", "raw")
        #expect(copied.status == 0 && copied.err.contains("\"copy.db\": key slot 2 stays"), "\(copied)")
        let replaced = try place.run([Tool.path] + rotate + ["--also-recovery-key-file", "paper"])
        #expect(replaced.status == 0 && replaced.err.contains("is replaced by one that proves"), "\(replaced)")
        #expect(try SealedDatabase.publicHeader(of: place.file("both.db")).slots.allSatisfy(\.isAuthenticated))
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

    @Test("putting back a header that an old slot opens is warned of")
    func headerOfOldSlot() throws {
        try copyOldFile()
        let old = try place.read("old.db")
        let saved = try place.sealite("header", "backup", "old.db", "header")
        #expect(saved.status == 0)
        let accepted = try place.sealite(
            "header", "restore", "old.db", "header", "--recovery-key-file", "paper")
        #expect(accepted.status == 0 && accepted.err.hasPrefix("warning: \"old.db\": key slot 1 is a"), "\(accepted)")
        #expect(try place.read("old.db") != old)
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
