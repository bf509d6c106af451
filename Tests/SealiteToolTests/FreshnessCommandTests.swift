import Foundation
import Testing

@Suite("sealite freshness and --freshness")
struct FreshnessCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase("a.db", "CREATE TABLE t(a); INSERT INTO t VALUES ('old')")
    }

    private func sealite(_ arguments: String...) throws -> Outcome {
        try place.run([Tool.path] + arguments + ["--key-file", "key"])
    }

    @Test("an old file in the place of a newer one is told with both counters, and accepted only when asked")
    func rolledBack() throws {
        #expect(try sealite("freshness", "record", "a.db", "record").out.contains("counter 1"))
        let old = try place.read("a.db")
        #expect(try sealite("sql", "a.db", "UPDATE t SET a = 'new'", "--freshness", "record").status == 0)
        #expect(try sealite("freshness", "record", "a.db", "record").out.contains("counter 2"))
        #expect(try sealite("freshness", "check", "a.db", "record").status == 0)
        try place.write(old, to: "a.db")
        for command in [
            ["sql", "a.db", "SELECT a FROM t"], ["verify", "a.db"], ["info", "a.db"], ["audit", "a.db"],
            ["backup", "a.db", "b.db"], ["decrypt", "a.db", "b.db", "--yes"], ["key", "check", "a.db"],
            ["key", "rotate", "a.db"], ["key", "add", "a.db", "--new-key-file", "key"],
        ] {
            let refused = try place.run(
                [Tool.path] + command + ["--key-file", "key", "--freshness", "record", "--json"])
            #expect(refused.status == 79, "\(command)")
            #expect(refused.json?["code"] as? String == "rolled-back", "\(command)")
            let numbers = ["recorded", "found"].map { (refused.json?[$0] as? [String: Any])?["counter"] as? String }
            #expect(numbers == ["2", "1"], "\(command): \(refused.err)")
            #expect((refused.json?["recorded"] as? [String: Any])?["serial"] is Int)
        }
        #expect(try place.read("a.db") == old)
        let message = try sealite("freshness", "check", "a.db", "record")
        #expect(message.status == 79 && message.err.contains("counter 2") && message.err.contains("counter 1"))
        #expect(try sealite("freshness", "record", "a.db", "record").status == 79)
        let accepted = try sealite(
            "sql", "a.db", "SELECT a FROM t", "--csv", "--freshness", "record", "--accept-rollback")
        #expect(accepted.status == 0 && accepted.out == "a\nold\n")
        #expect(try sealite("freshness", "check", "a.db", "record").status == 0)
    }

    @Test("a missing record is no fresh record, also for a command that needs no key")
    func missing() throws {
        let refused = try sealite("sql", "a.db", "SELECT 1", "--freshness", "record")
        #expect(refused.status == 66 && refused.err.contains("sealite freshness record"))
        #expect(try place.sealite("info", "a.db", "--freshness", "record", "--no-input").status == 64)
        #expect(try sealite("sql", "a.db", "SELECT 1", "--accept-rollback").status == 64)
        #expect(!place.exists("record"))
    }

    @Test("a restored backup is another database until the record is moved")
    func restored() throws {
        #expect(try sealite("freshness", "record", "a.db", "record").status == 0)
        #expect(try sealite("backup", "a.db", "b.db").status == 0)
        #expect(try sealite("restore", "b.db", "a.db", "--replace").status == 0)
        #expect(try sealite("verify", "a.db", "--freshness", "record").status == 79)
        #expect(try sealite("freshness", "record", "a.db", "record", "--accept-rollback").status == 0)
        #expect(try sealite("verify", "a.db", "--freshness", "record").status == 0)
    }
}
