import CSQLite
import Foundation
import SealiteTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteFunctions

@Suite("functions of regular expressions")
struct RegexFunctionTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    private func check(_ expression: String, _ result: String) throws {
        #expect(try stage.ask("query_regexp_" + expression) == result, "\(expression)")
    }

    @Test("every case of measured_functions.json")
    func cases() throws {
        let cases = try ExpressionCases("measured_functions", ["REGEXP_"])
        #expect(cases.cases.count >= 7)
        try cases.check(on: stage)
    }

    @Test(
        "a pattern is searched for, anywhere in the string",
        arguments: [
            ("contains('abc', 'b')", "X'01'"), ("contains('abc', '^b')", "X'02'"), ("contains('', '')", "X'01'"),
            ("contains('a' || char(10), 'a$')", "X'02'"), ("contains('ABC', '(?i)b')", "X'01'"),
            ("contains('É', '(?i)é')", "X'01'"), ("contains('é', '^.$')", "X'01'"),
            ("contains('é', '\\u00e9')", "X'01'"),
            ("contains('٣', '\\d')", "X'02'"), ("contains('a' || char(0) || 'b', 'a.b')", "X'01'"),
            ("contains('a' || char(10) || 'b', 'a.b')", "X'02'"), ("contains('aXbX', '(X)b\\1')", "X'01'"),
            ("position('äbc', 'c')", "3"), ("position('abc', 'z')", "-1"), ("position('abc', '')", "0"),
            ("position('foobar', '(?<=foo)bar')", "3"),
        ])
    func searching(expression: String, result: String) throws { try check(expression, result) }

    @Test(
        "matches are replaced, all of them or the first ones",
        arguments: [
            ("'abcb', 'b', 'X'", "'aXcX'"), ("'abcb', 'b', 'X', 1", "'aXcb'"), ("'abcb', 'b', 'X', 0", "'abcb'"),
            ("'abcb', 'b', 'X', -1", "'aXcX'"), ("'abcb', 'b', 'X', 1.9", "'aXcb'"), ("'abcb', 'b', 'X', 'x'", "X'00'"),
            ("'abc', '', '-'", "'-a-b-c-'"), ("'abcb', 'b*', 'X'", "'XaXXcXX'"), ("'éè', '', '-'", "'-é-è-'"),
            ("'abc', '(a)(b)', '$2$1'", "'bac'"), ("'abc', 'b', '[$&]'", "'a[b]c'"), ("'abc', 'b', '$$'", "'a$c'"),
            ("'abc', 'b', '$'", "'a$c'"), ("'abc', 'b', '$x'", "'a$xc'"), ("'abc', 'b', '$0'", "'a$0c'"),
            ("'abc', 'b', '$7'", "'ac'"), ("'ab', '(a)|(b)', '<$1$2>'", "'<a><b>'"),
            ("'abcdefghijk', '(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)', '$11$1'", "'ka'"), ("'ab', '(a)', '$12'", "'a2b'"),
            ("'aaa', '\\Ga', 'x'", "'xxx'"), ("'abab', '(?=b)', '|'", "'a|ba|b'"),
        ])
    func replacing(arguments: String, result: String) throws { try check("replace(\(arguments))", result) }

    @Test("one character has one empty match, whatever its size in bytes", arguments: ["e", "é", "€", "😀"])
    func emptyMatches(text: String) throws {
        let expression = try #require(RegularExpression.compile(Array("x*".utf8), []))
        var count = 0
        let isComplete = expression.forEachMatch(in: Array(text.utf8)) { _ in
            count += 1
            return true
        }
        #expect(isComplete && count == 1)
    }

    @Test("missing and null go through, and what is no string is null")
    func propagation() throws {
        for call in [
            "contains(?, 'a')", "contains('a', ?)", "position(?, '[')", "replace(?, 'a', 'b')", "replace('a', 'a', ?)",
        ] {
            try check(call.replacing("?", with: "NULL"), "NULL")
            try check(call.replacing("?", with: "x'00'"), "X'00'")
            try check(call.replacing("?", with: "1"), "X'00'")
        }
        try check("replace('a', 'a', 'b', NULL)", "NULL")
        try check("replace('a', 'a', 'b', x'00')", "X'00'")
    }

    @Test(
        "a pattern that is invalid or longer than 4096 bytes is null",
        arguments: [
            "'['", "'('", "'a**'", "'\\'", "'(?<n>a'", "'\\C'", "printf('%.4097c', 'a')", "CAST(x'ff' AS TEXT)",
        ])
    func invalid(pattern: String) throws {
        try check("contains('abc', \(pattern))", "X'00'")
        try check("replace('abc', \(pattern), 'x')", "X'00'")
    }

    @Test("a string that is no UTF-8 is null")
    func malformed() throws { try check("contains(CAST(x'61ff' AS TEXT), 'a')", "X'00'") }

    @Test(
        "hostile strings end within a second or two, with null",
        arguments: [
            ("(a+)+$", "printf('%.40c', 'a') || 'b'"), ("(a|aa)+$", "printf('%.60c', 'a') || 'b'"),
            ("(?:a|b)*[cd]", "printf('%.2000000c', 'a')"), ("(.*)*[xy]", "printf('%.2000c', 'a')"),
            ("a*[bc]", "printf('%.1000000c', 'a')"), ("\\s+$", "printf('%.1000000c', ' ') || 'b'"),
        ])
    func hostile(pattern: String, text: String) throws {
        for call in ["contains(\(text), '\(pattern)')", "replace(\(text), '\(pattern)', 'x')"] {
            let taken = try processorTime { try check(call, "X'00'") }
            #expect(taken < .seconds(20))
        }
    }

    @Test("a long string that is easy to search is searched to its end")
    func long() throws {
        try check("position(printf('%.2000000c', 'a') || 'xyz', 'xyz')", "2000000")
        for pattern in ["[^a-z]", "é", "[^a-z]$", "(?<=a)[^a]"] {
            try check("position(printf('%.4000000c', 'a') || 'é', '\(pattern)')", "4000000")
        }
        #expect(try stage.ask("length(query_regexp_replace(printf('%.100000c', 'a'), 'a', 'bb'))") == "200000")
    }

    @Test("a result that is longer than the connection takes is an error")
    func tooLarge() throws {
        var opened: OpaquePointer?
        unsafe sqlite3_open(":memory:", &opened)
        guard let connection = unsafe opened else {
            Issue.record("no connection")
            return
        }
        defer { unsafe sqlite3_close_v2(connection) }
        unsafe sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, 10_000)
        let registered = unsafe BodyFunctions.register(on: connection)
        try #require(registered == SQLITE_OK)
        for (by, code) in [
            ("'b'", SQLITE_ROW), ("printf('%.100c', 'b')", SQLITE_TOOBIG), ("'$&$&$&$&$&$&'", SQLITE_TOOBIG),
        ] {
            var statement: OpaquePointer?
            let query = "SELECT query_regexp_replace(printf('%.2000c', 'a'), 'a', \(by))"
            unsafe sqlite3_prepare_v2(connection, query, -1, &statement, nil)
            let result = unsafe sqlite3_step(statement)
            #expect(result == code, "\(by)")
            unsafe sqlite3_finalize(statement)
        }
    }

    @Test("a pattern is compiled anew where it changes from row to row")
    func changingPattern() throws {
        let query = """
            SELECT group_concat(quote(query_regexp_contains('abc', p)), ',')
            FROM (SELECT 'a' AS p UNION ALL SELECT 'x' UNION ALL SELECT '[' UNION ALL SELECT 'c')
            """
        #expect(try stage.connection.text(query) == "X'01',X'02',X'00',X'01'")
        let fixed = """
            SELECT group_concat(quote(query_regexp_contains(s, 'b')), ',')
            FROM (SELECT 'abc' AS s UNION ALL SELECT 'x' UNION ALL SELECT 5 UNION ALL SELECT 'b')
            """
        #expect(try stage.connection.text(fixed) == "X'01',X'02',X'00',X'01'")
    }
}
