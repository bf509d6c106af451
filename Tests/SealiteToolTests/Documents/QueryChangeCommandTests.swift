import Foundation
import Testing

@Suite("sealite query with UPDATE, DELETE and INSERT")
struct QueryChangeCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
    }

    private func run(_ statement: String, _ options: String...) throws -> Outcome {
        try place.run([Tool.path, "query", "a.db", statement, "--key-file", "key"] + options)
    }

    @Test("statements print the number of changed documents, or the rows of RETURNING")
    func changes() throws {
        let inserted = try run(
            "INSERT INTO _ (KEY, VALUE) VALUES ('a', {'n': 1}), ('b', {'n': $n})", "--param", "n=2.50")
        #expect(inserted.out == "changed 2 documents\n")
        #expect(try run("UPDATE _ SET n = n + 1 WHERE n < 2", "--json").out == "{\"changed\":1}\n")
        #expect(try run("DELETE FROM _ WHERE n = 2 RETURNING META().id, n", "--csv").out == "id,n\na,2\n")
        #expect(try run("UPDATE _ SET m = 1 WHERE META().id = 'b'").out == "changed 1 document\n")
        #expect(try run("SELECT VALUE n FROM _", "--csv").out.contains("2.5"))
        let failed = try run("INSERT INTO _ (KEY, VALUE) VALUES ('c', {}), ('b', {})", "--json")
        #expect(failed.status == 1 && failed.json?["code"] as? String == "conflict")
        #expect(try run("SELECT META().id FROM _", "--csv").out.contains("c") == false)
        #expect(try run("UPDATE _ SET n = 0 WHERE META().id = 'b'", "--explain").out.contains("look documents of _ up"))
        #expect(try run("SELECT n FROM _ WHERE n = 0", "--csv").out == "n\n")
    }
}
