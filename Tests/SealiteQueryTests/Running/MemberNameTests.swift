import Testing

@testable import SealiteDatabase
@testable import SealiteQuery

@Suite("names of members in queries")
struct MemberNameTests {
    let test: TestDatabase

    init() throws { test = try TestDatabase() }

    private func save(_ documents: [String]) throws {
        let collection = try test.collection
        for (number, json) in documents.enumerated() {
            try collection.save(document: try MutableDocument(id: "d\(number)", json: json))
        }
    }

    private func rows(_ text: String) throws -> [String] {
        let query = try test.database.createQuery(text as String)
        return try query.execute().map { try $0.toJSON() }
    }

    @Test("members whose names differ in normalization only are told apart")
    func normalization() throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        try save([#"{"\#(decomposed)":5}"#, #"{"\#(composed)":5}"#, #"{"\#(composed)":1,"\#(decomposed)":2}"#])
        let text = "SELECT META().id AS id, `\(composed)` AS a, `\(decomposed)` AS b FROM _ ORDER BY META().id"
        let expected = [#"{"b":5,"id":"d0"}"#, #"{"a":5,"id":"d1"}"#, #"{"a":1,"b":2,"id":"d2"}"#]
        func members(_ row: String) -> Set<Substring> { Set(row.dropFirst().dropLast().split(separator: ",")) }
        #expect(try rows(text).map(members) == expected.map(members))
        #expect(
            try rows("SELECT SUM(`\(composed)`) AS a, SUM(`\(decomposed)`) AS b FROM _").map(members) == [
                [#""a":6"#, #""b":7"#]
            ])
        let search = "SELECT META().id AS id FROM _ WHERE `\(decomposed)` = 5"
        #expect(try rows(search) == [#"{"id":"d0"}"#])
        try test.collection.createIndex(withName: "composed", config: ValueIndexConfiguration(["`\(composed)`"]))
        #expect(try rows(search) == [#"{"id":"d0"}"#])
        #expect(try !test.database.createQuery(search as String).explain().description.contains("composed"))
    }
}
