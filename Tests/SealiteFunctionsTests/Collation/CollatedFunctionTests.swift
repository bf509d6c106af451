import Testing

@testable import SealiteFile

@Suite("functions of queries with Unicode collations")
struct CollatedFunctionTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    @Test(
        "comparisons, LIKE and CONTAINS take them",
        arguments: [
            ("equal('É', 'é', 'unicode-nocase')", "X'01'"), ("equal('É', 'e', 'unicode-nocase')", "X'02'"),
            ("equal('É', 'e', 'unicode-nocase-nodiac')", "X'01'"), ("equal('é', 'e', 'unicode-nodiac')", "X'01'"),
            ("equal('É', 'e', 'unicode-nodiac')", "X'02'"), ("less('a', 'B', 'unicode')", "X'01'"),
            ("less('z', 'å', 'unicode:sv')", "X'01'"), ("less('z', 'å', 'unicode:de')", "X'02'"),
            ("equal(1, 1.0, 'unicode')", "X'01'"), ("equal('a', 'a', 'unicode:')", "X'00'"),
            ("like('É', 'é', '\\', 'unicode-nocase')", "X'01'"),
            ("like('ÉLAN', 'e%', '\\', 'unicode-nocase-nodiac')", "X'01'"),
            ("like('ÉLAN', 'e%', '\\', 'unicode-nocase')", "X'02'"),
            ("contains('Élan', 'el', 'unicode-nocase-nodiac')", "X'01'"),
            ("contains('Élan', 'el', 'unicode-nocase')", "X'02'"),
        ])
    func comparisons(expression: String, result: String) throws {
        #expect(try stage.ask("query_" + expression) == result)
    }

    @Test("rows are sorted by them, and found in an index")
    func sorting() throws {
        let connection = stage.connection
        try connection.execute(
            "CREATE TABLE t (s); CREATE INDEX keys ON t (query_key(s, 'unicode:sv'));"
                + "INSERT INTO t VALUES ('Örebro'), ('Zinkgruvan'), ('arboga'), ('Åmål'), ('Arboga'), (5), (NULL)")
        let sorted = "SELECT group_concat(s) FROM (SELECT s FROM t INDEXED BY keys ORDER BY query_key(s, 'unicode:sv'))"
        #expect(try connection.text(sorted) == "5,arboga,Arboga,Zinkgruvan,Åmål,Örebro")
        let above = """
            SELECT group_concat(s) FROM (SELECT s FROM t INDEXED BY keys
                WHERE query_key(s, 'unicode:sv') > query_key('z', 'unicode:sv') ORDER BY query_key(s, 'unicode:sv'))
            """
        #expect(try connection.text(above) == "Zinkgruvan,Åmål,Örebro")
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
    }
}
