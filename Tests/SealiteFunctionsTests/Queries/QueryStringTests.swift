import Testing

@Suite("string functions of queries")
struct QueryStringTests {
    private let stage: QueryStage

    init() throws { stage = try QueryStage() }

    @Test("length, letters, white space")
    func characters() throws {
        try stage.check(
            #"""
            length("12345") → 5
            length("cafés") → 5
            length("😀") → 1
            length("") → 0
            length(5) → null
            length([1]) → null
            length(null) → null
            length(MISSING) → MISSING
            lower("cAFES17•") → "cafes17•"
            lower("zÉRGMÅĪ2") → "zérgmåī2"
            lower([1,2]) → null
            lower(null) → null
            upper("straße") → "STRASSE"
            upper("Zérgmåī2") → "ZÉRGMÅĪ2"
            upper("😀") → "😀"
            upper(5) → null
            trim("  x  ") → "x"
            ltrim("  x  ") → "x  "
            rtrim("  x  ") → "  x"
            trim("᠎  　 x  \n") → "x"
            trim("") → ""
            trim("   ") → ""
            trim("xxyaxy", "xy") → "a"
            ltrim("xxyaxy", "xy") → "axy"
            rtrim("éaé", "é") → "éa"
            trim("a", 1) → null
            trim(5) → 5
            trim(null) → null
            trim(MISSING) → MISSING
            trim("a", MISSING) → MISSING
            reverse("abc") → "cba"
            reverse("ae\u0301b") → "be\u0301a"
            reverse(1) → null
            """#)
    }

    @Test("concatenation writes every value as text")
    func concatenation() throws {
        try stage.check(
            #"""
            concat("a", "b", "c") → "abc"
            concat("a", 1) → "a1"
            concat(99, " ", 123.45, " ", true, " ", false) → "99 123.45 true false"
            concat("a", null) → "anull"
            concat("goodbye", MISSING, "world") → MISSING
            concat([1,"two",null,true,[5],{"k":6}], "x") → "[1,\"two\",null,true,[5],{\"k\":6}]x"
            concat("x", #18446744073709551615) → "x18446744073709551615"
            """#)
        #expect(throws: (any Error).self) { try stage.ask("query_concat()") }
    }

    @Test("CONTAINS")
    func contains() throws {
        try stage.check(
            """
            contains("hello", "ell") → true
            contains("hello", "ELL") → false
            contains("hello", "ELL", "nocase") → true
            contains("hello", "") → false
            contains("", "a") → false
            contains("hello", null) → null
            contains([1,2], 1) → false
            contains("hello", MISSING) → MISSING
            contains("a", "ab", "nocase") → false
            """)
    }

    @Test("LIKE")
    func like() throws {
        try stage.check(
            #"""
            like("abc", "a%") → true
            like("abc", "A%") → false
            like("abc", "a_c") → true
            like("abc", "a\\%") → false
            like("a%b", "a\\%b") → true
            like("axb", "a\\%b") → false
            like("a_b", "a\\_b") → true
            like("axb", "a\\_b") → false
            like("a\\b", "a\\\\b") → true
            like("abc", "abc\\") → false
            like("a!b", "a!!b", "!") → true
            like("a\\b", "a\\b", "") → true
            like("ab", "ab", "xx") → null
            like("ab", "ab", MISSING) → true
            like(1, "1") → true
            like("1", 1) → true
            like(1.5, "1._") → true
            like(null, "%") → false
            like(true, "true") → false
            like(MISSING, "%") → MISSING
            like("a", MISSING) → MISSING
            like("", "") → true
            like("", "%") → true
            like("", "_") → false
            like("é", "_") → true
            like("éa", "%_a") → true
            like("é", "%__") → false
            like("É", "é") → false
            like("ab", "a") → false
            like("ABC", "a_c", "\\", "nocase") → true
            like("abcabcabd", "%abc%abd") → true
            like("aaaaab", "%a%a%b_") → false
            like("aXbXc", "a%b%c%") → true
            like("😀x", "_x") → true
            """#)
    }

    @Test("parts of strings, counted from 0")
    func parts() throws {
        try stage.check(
            #"""
            substr("abcé", 1) → "bcé"
            substr("abcé", 1, 2) → "bc"
            substr("abcé", -1) → "é"
            substr("abcé", 3, 9223372036854775807) → "é"
            substr("abcé", 4) → null
            substr("abcé", -5) → null
            substr("abc", 1, -1) → null
            substr("abc", 1, 0) → ""
            substr("abc", 1.5) → null
            substr("abc", 1.0) → "bc"
            substr("", 0) → null
            substr(MISSING, 0) → MISSING
            position("abcé", "c") → 2
            position("éa", "a") → 1
            position("abc", "x") → -1
            position("abc", "") → 0
            position("abc", 1) → null
            replace("abab", "b", "xy") → "axyaxy"
            replace("abab", "b", "", 1) → "aab"
            replace("abab", "b", "x", -1) → "axax"
            replace("abab", "b", "x", 0) → "abab"
            replace("abab", "", "x") → "abab"
            replace("abab", "b", 1) → null
            split("a b  c") → ["a","b","c"]
            split("  ") → []
            split("a,b,,c", ",") → ["a","b","","c"]
            split("", ",") → [""]
            split("aéb", "") → ["a","é","b"]
            split("", "") → []
            split("a\"b", ",") → ["a\"b"]
            split("a", 1) → null
            repeat("ab", 3) → "ababab"
            repeat("ab", 0) → ""
            repeat("", 9223372036854775807) → ""
            repeat("ab", -1) → null
            repeat("ab", 1000000000) → null
            lpad("ab", 4) → "  ab"
            lpad("ab", 5, "xé") → "xéxab"
            lpad("abcé", 2) → "ab"
            rpad("ab", 4, "-") → "ab--"
            rpad("é", 2, "é") → "éé"
            rpad("ab", 1e300) → null
            rpad("ab", 1000000000) → null
            rpad("ab", 4, "") → null
            rpad("ab", -1) → null
            """#)
    }
}
