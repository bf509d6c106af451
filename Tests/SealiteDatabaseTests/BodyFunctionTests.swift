import GRDB
import Testing

@testable import SealiteDatabase

@Suite("The SQL function body_value")
struct BodyFunctionTests {
    private func value(_ json: String, _ path: String) throws -> DatabaseValue {
        let test = try TestDatabase()
        try test.collection.save(document: MutableDocument(id: "a", json: json))
        return try test.database.reading { connection in
            try DatabaseValue.fetchOne(connection, sql: "SELECT body_value(body\(path)) FROM documents_1") ?? .null
        }
    }

    @Test("numbers, text, truth and null come out as SQL has them")
    func scalars() throws {
        let json = """
            {"i":-42,"big":9223372036854775807,"huge":9223372036854775808,"d":1.50,"e":1E3,"s":"é\\n","t":true,"f":false,\
            "n":null,"":7}
            """
        #expect(try value(json, ", 'i'") == (-42).databaseValue)
        #expect(try value(json, ", 'big'") == Int64.max.databaseValue)
        #expect(try value(json, ", 'huge'") == 9223372036854775808.0.databaseValue)
        #expect(try value(json, ", 'd'") == 1.5.databaseValue)
        #expect(try value(json, ", 'e'") == 1000.0.databaseValue)
        #expect(try value(json, ", 's'") == "é\n".databaseValue)
        #expect(try value(json, ", 't'") == 1.databaseValue)
        #expect(try value(json, ", 'f'") == 0.databaseValue)
        #expect(try value(json, ", 'n'").isNull)
        #expect(try value(json, ", 'none'").isNull)
        #expect(try value(json, ", ''") == 7.databaseValue)
    }

    @Test("paths lead through objects and arrays; what is no container has nothing inside")
    func paths() throws {
        let json = "{\"a\":{\"b\":[10,{\"c\":\"x\"}]}}"
        #expect(try value(json, ", 'a', 'b', 0") == 10.databaseValue)
        #expect(try value(json, ", 'a', 'b', 1, 'c'") == "x".databaseValue)
        #expect(try value(json, ", 'a', 'b', 2").isNull)
        #expect(try value(json, ", 'a', 'b', -1").isNull)
        #expect(try value(json, ", 'a', 'b', '0'").isNull)
        #expect(try value(json, ", 'a', 'b', 0, 'x'").isNull)
        #expect(try value(json, ", 'a', 0").isNull)
        #expect(try value(json, ", 'a', 'b'") == "[10,{\"c\":\"x\"}]".databaseValue)
        #expect(try value(json, "") == json.databaseValue)
    }

    @Test("damaged bytes and other types give NULL")
    func damaged() throws {
        let test = try TestDatabase()
        try test.database.reading { connection in
            for argument in ["x'FF'", "x''", "NULL", "x'EC00'", "x'3C'", "5", "'text'"] {
                let sql = "SELECT body_value(\(argument), 'a')"
                let found = try DatabaseValue.fetchOne(connection, sql: sql)
                #expect(found?.isNull ?? true, "\(argument)")
            }
        }
    }

    @Test("an index on it is used and kept")
    func index() throws {
        let test = try TestDatabase()
        try test.database.writer.withoutTransaction { connection in
            try connection.execute(sql: "CREATE INDEX ages ON documents_1 (body_value(body, 'age'))")
        }
        for age in 0..<50 {
            try test.collection.save(document: MutableDocument(id: "\(age)").setInt(age, forKey: "age"))
        }
        try test.database.reading { connection in
            let sql = "SELECT count(*) FROM documents_1 WHERE body_value(body, 'age') > 40"
            let count = try Int.fetchOne(connection, sql: sql)
            #expect(count == 9)
            let plan = try Row.fetchOne(connection, sql: "EXPLAIN QUERY PLAN \(sql)")
            #expect((plan?["detail"] as String?)?.contains("ages") == true)
        }
        try test.collection.save(document: MutableDocument(id: "1").setInt(99, forKey: "age"))
        #expect(try test.database.integrityFindings().isEmpty)
    }
}
