import SealiteFile
import Testing

@Suite("the SQL function body_value")
struct BodyValueTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    @Test("numbers, text, truth and null come out as SQL has them")
    func scalars() throws {
        let body = try jsonb(
            """
            {"i":-42,"big":9223372036854775807,"least":-9223372036854775808,"huge":9223372036854775808,"d":1.50,"e":1E3,\
            "s":"é\\n","t":true,"f":false,"n":null,"":7,"far":1e400}
            """)
        let wanted = [
            "i": "-42", "big": "9223372036854775807", "least": "-9223372036854775807 - 1",
            "huge": "9223372036854775808.0", "d": "1.5",
            "e": "1000.0", "s": "'é' || char(10)", "t": "1", "f": "0", "n": "NULL", "none": "NULL", "": "7",
            "far": "9e999",
        ]
        for (name, value) in wanted {
            #expect(try stage.agree("body_value(\(body), '\(name)')", "(\(value))"), "\(name)")
        }
    }

    @Test("paths lead through objects and arrays; what is no container has nothing inside")
    func paths() throws {
        let json = "{\"a\":{\"b\":[10,{\"c\":\"x\"}]},\"0\":5}"
        let wanted = [
            ", 'a', 'b', 0": "10", ", 'a', 'b', 1, 'c'": "'x'", ", 'a', 'b'": "'[10,{\"c\":\"x\"}]'", "": "'\(json)'",
            ", '0'": "5",
        ]
        for (path, value) in wanted {
            #expect(try stage.agree("body_value(\(jsonb(json))\(path))", value), "\(path)")
        }
        let nothing = [
            ", 'a', 'b', 2", ", 'a', 'b', -1", ", 'a', 'b', '0'", ", 'a', 'b', 0, 'x'", ", 'a', 0", ", 0", ", NULL",
            ", x'61'",
            ", 'a', 'b', 9223372036854775807", ", 'a', 'b', 0.0",
        ]
        for path in nothing {
            #expect(try stage.ask("body_value(\(jsonb(json))\(path))") == "NULL", "\(path)")
            #expect(try stage.ask("body_type(\(jsonb(json))\(path))") == "'missing'", "\(path)")
        }
    }

    @Test("names and texts are found where the database's encoding is UTF-16")
    func encodings() throws {
        let connection = try RawConnection(uri: "file::memory:", path: "memory")
        try connection.execute("PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(name, body)")
        try connection.execute("INSERT INTO t VALUES ('é', \(jsonb(#"{"é":"ü"}"#)))")
        #expect(try connection.text("SELECT body_value(body, name) FROM t") == "ü")
        #expect(try connection.text("SELECT hex(body_key('queries', body, name)) FROM t") == "60C3BC00")
    }

    @Test("damaged bytes and other types give NULL")
    func damaged() throws {
        for argument in ["x'FF'", "x''", "NULL", "x'EC00'", "x'3C'", "5", "'text'", "1.5"] {
            #expect(try stage.ask("body_value(\(argument), 'a')") == "NULL", "\(argument)")
        }
        // Digits that are none: each would be some number, or stop the program, if it were read on trust.
        for digits in [
            "", "2D", "2D2D", "31FF", "3031", "FFFFFFFFFFFFFFFFFF", "2DFFFFFFFFFFFFFFFFFF", "6E616E", "30783141",
            "312C35",
        ] {
            for type in ["3", "5"] {
                let element = "x'\(String(digits.utf8.count / 2, radix: 16))\(type)\(digits)'"
                #expect(try stage.ask("body_value(\(element))") == "NULL", "\(element)")
            }
        }
    }
}
