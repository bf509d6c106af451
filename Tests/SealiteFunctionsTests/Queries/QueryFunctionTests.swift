import Testing

@Suite("functions of queries on numbers, types, arrays and objects")
struct QueryFunctionTests {
    private let stage: QueryStage

    init() throws { stage = try QueryStage() }

    @Test("numbers")
    func numbers() throws {
        try stage.check(
            """
            abs(-3) → 3.0
            abs("q") → null
            abs(null) → null
            abs(MISSING) → MISSING
            ceil(2.5) → 3.0
            floor(2.5) → 2.0
            round(12.5) → 13.0
            round(-12.5) → -13.0
            round(1234, -2) → 1200.0
            round(1.25, 1) → 1.3
            round(1.5, 400) → 1.5
            round(1.5, -400) → 0.0
            round(1, "a") → null
            round_even(2.5) → 2.0
            round_even(11.5) → 12.0
            round_even(12.115, 2) → 12.12
            round_even(8.8343534, -1) → 10.0
            trunc(-2.7) → -2.0
            trunc(3.789, 1) → 3.7
            sign(0) → 0
            sign(2.5) → 1
            sign(-7) → -1
            sqrt(16) → 4.0
            sqrt(-1) → null
            sqrt("5") → null
            power(2, 10) → 1024.0
            power(2, -1) → 0.5
            power("a", 1) → null
            exp(0) → 1.0
            exp(1000) → null
            log(100) → 2.0
            log(-1) → null
            log(0) → null
            ln(1) → 0.0
            sin(0) → 0.0
            cos(0) → 1.0
            tan(0) → 0.0
            acos(3) → null
            acos("abc") → null
            acos(1) → 0.0
            asin(0) → 0.0
            atan(0) → 0.0
            atan2(null, 2) → null
            atan2(MISSING, null) → MISSING
            atan2(0, 1) → 0.0
            radians(0) → 0.0
            degrees(0) → 0.0
            div(7, 2) → 3.5
            div(1, 0) → null
            div(null, 1) → null
            div(MISSING, 1) → MISSING
            div("4", 2) → null
            idiv(8, 10) → 0
            idiv(-1, 1.9) → -1
            idiv(-3.9, 2.1) → -1
            idiv(5, 3) → 1
            idiv(1, 0.99) → null
            idiv(1, 0) → null
            idiv(-9223372036854775808, -1) → 9223372036854775808.0
            greatest(1, 2, 3) → 3
            greatest("a", "b") → "b"
            greatest(null, 1) → null
            greatest(1, MISSING) → MISSING
            greatest(1, "a", true) → "a"
            least(1, 2, 3) → 1
            least(2, 1.5, "a") → 1.5
            """)
        #expect(try stage.ask("query_pi()") == stage.ask("3.141592653589793"))
        #expect(try stage.ask("query_e()") == stage.ask("2.718281828459045"))
        #expect(try stage.ask("query_degrees(query_pi())") == "180.0")
        #expect(try stage.ask("query_radians(180)") == stage.ask("3.141592653589793"))
        #expect(try stage.ask("query_atan2(1, 1)") == stage.ask("0.7853981633974483"))
    }

    @Test("types")
    func types() throws {
        try stage.check(
            #"""
            type(1) → "number"
            type(2.5) → "number"
            type(#1e400) → "number"
            type("abc") → "string"
            type(null) → null
            type(true) → "boolean"
            type([1]) → "array"
            type({}) → "object"
            type(MISSING) → MISSING
            isarray([]) → true
            isarray({}) → false
            isarray(null) → null
            isarray(MISSING) → MISSING
            isatom(1) → true
            isatom("a") → true
            isatom(true) → true
            isatom([1]) → false
            isatom(null) → null
            isboolean(true) → true
            isboolean(1) → false
            isnumber(1) → true
            isnumber("a") → false
            isnumber(true) → false
            isobject({}) → true
            isobject([]) → false
            isstring("a") → true
            isstring(1) → false
            isstring(MISSING) → MISSING
            toarray(1) → [1]
            toarray([1,"two"]) → [1,"two"]
            toarray({"a":1}) → [{"a":1}]
            toarray(null) → null
            toarray(MISSING) → MISSING
            toatom([5]) → 5
            toatom([[5]]) → [5]
            toatom({"subvalue":"FTW"}) → "FTW"
            toatom([]) → null
            toatom([1,2]) → null
            toatom("abc") → "abc"
            toatom(null) → null
            toboolean(1) → true
            toboolean(0) → false
            toboolean(-0.0) → false
            toboolean("") → false
            toboolean("a") → true
            toboolean([1]) → true
            toboolean([]) → false
            toboolean({}) → false
            toboolean(null) → null
            toboolean(true) → true
            toboolean(#1e400) → true
            tonumber("12") → 12
            tonumber("1.5") → 1.5
            tonumber("") → 0.0
            tonumber("abc") → 0.0
            tonumber("5x") → 5
            tonumber(" 5") → 5
            tonumber("-5e1") → -50.0
            tonumber("5e") → 5
            tonumber("5.") → 5.0
            tonumber(".5") → 0.5
            tonumber(".") → 0.0
            tonumber("-") → 0.0
            tonumber("0x10") → 16.0
            tonumber("0x") → 0
            tonumber("1e3") → 1000.0
            tonumber("1e400") → 0.0
            tonumber("9223372036854775808") → 9223372036854775808.0
            tonumber("602214076000000000000000") → 6.02214076e+23
            tonumber(true) → 1
            tonumber([1]) → null
            tonumber(#18446744073709551615) → #18446744073709551615
            toobject({"a":1}) → {"a":1}
            toobject(1) → {}
            toobject(null) → null
            tostring(1) → "1"
            tostring(4.5) → "4.5"
            tostring(1e20) → "1e+20"
            tostring(1.0) → "1.0"
            tostring(0.1) → "0.1"
            tostring(true) → "true"
            tostring("a") → "a"
            tostring({}) → null
            tostring(null) → null
            tostring(MISSING) → MISSING
            """#)
    }

    @Test("questions about arrays")
    func arrays() throws {
        try stage.check(
            #"""
            array_length([1,"two",null,true,[5],{"k":6}]) → 6
            array_length([]) → 0
            array_length("s") → 0
            array_length({"a":1}) → 0
            array_length(MISSING) → 0
            array_count([1,null,2]) → 2
            array_count([]) → 0
            array_count({"a":1,"b":null}) → 1
            array_count(MISSING) → MISSING
            array_sum([1,2,3]) → 6.0
            array_sum([true,1]) → 2.0
            array_sum([1,"a",null]) → 1.0
            array_sum([]) → 0.0
            array_sum("s") → 0.0
            array_sum(MISSING) → 0.0
            array_avg([1,2,3]) → 2.0
            array_avg([1,2,true,"foo"]) → 1.0
            array_avg([1,null,"x"]) → 0.3333333333333333
            array_avg([]) → 0.0
            array_avg(MISSING) → 0.0
            array_min([4,2,9]) → 2.0
            array_min([-1.5,2]) → -1.5
            array_min([]) → null
            array_min("s") → null
            array_min(MISSING) → MISSING
            array_max([1,5,3]) → 5.0
            array_max([-5,-3]) → -3.0
            array_max([1,"a"]) → 1.0
            array_contains([1,"two"], "two") → true
            array_contains([1,"two"], 1.0) → true
            array_contains([true,0], false) → false
            array_contains([1], null) → null
            array_contains({"a":1}, 1) → null
            array_contains(MISSING, "a") → MISSING
            array_contains([1], MISSING) → MISSING
            array_ifnull([null,2,3]) → 2
            array_ifnull([null]) → null
            array_ifnull("s") → null
            array_ifnull(MISSING) → MISSING
            """#)
    }

    @Test("arrays made of arrays and objects")
    func changes() throws {
        try stage.check(
            #"""
            array_sort([2,"a",null,1.5,[],false,{}]) → [null,false,1.5,2,"a",[],{}]
            array_sort([1,1.0]) → [1,1.0]
            array_sort("s") → null
            array_sort(MISSING) → MISSING
            array_distinct([2,1,2.0,"a","a",[1],[1.0]]) → [2,1,"a",[1]]
            array_append([1], 2, "x", null) → [1,2,"x",null]
            array_append([1], MISSING) → MISSING
            array_append("s", 1) → null
            array_flatten([1,[2,[3,[4]]]], 1) → [1,2,[3,[4]]]
            array_flatten([1,[2,[3,[4]]]], 0) → [1,[2,[3,[4]]]]
            array_flatten([1,[2,[3,[4]]]], -1) → [1,2,3,4]
            array_flatten([[1]], "a") → null
            array_flatten([[1]], 0.5) → null
            array_range(0, 3) → [0,1,2]
            array_range(3, 0, -1) → [3,2,1]
            array_range(0, 1, 0.25) → [0.0,0.25,0.5,0.75]
            array_range(3, 0) → []
            array_range(0, 3, 0) → null
            array_range(0, 1e18) → null
            array_range(0, #1e400) → null
            array_range(9223372036854775806, 9223372036854775807) → [9223372036854775806]
            array_range("a", 1) → null
            object_names({"b":1,"a":2}) → ["a","b"]
            object_keys({}) → []
            object_values({"b":1,"a":[2]}) → [[2],1]
            object_pairs({"b":1,"a":null}) → [{"name":"a","val":null},{"name":"b","val":1}]
            object_names([1]) → null
            object_values(MISSING) → MISSING
            """#)
    }

    @Test("arrays made of several arrays, turned round, searched and turned into an object")
    func sets() throws {
        try stage.check(
            #"""
            array_concat([1], [2,"a"], [], [[3]]) → [1,2,"a",[3]]
            array_concat([1], null) → null
            array_concat([1], {"a":1}) → null
            array_concat(null, MISSING) → MISSING
            array_reverse([1,[2,3],"a",null]) → [null,"a",[2,3],1]
            array_reverse([]) → []
            array_reverse("s") → null
            array_reverse(MISSING) → MISSING
            array_position([1,"a",1.0], 1.0) → 0
            array_position([[2],{"a":1}], {"a":1.0}) → 1
            array_position([1,"a"], "b") → -1
            array_position([null], null) → null
            array_position("a", "a") → null
            array_position([1], MISSING) → MISSING
            array_position(MISSING, null) → MISSING
            array_union([2,1,2.0], [1,3], [null,[1]], [[1.0],null]) → [2,1,3,null,[1]]
            array_union([], []) → []
            array_union([1], "a") → null
            array_union([1], MISSING) → MISSING
            array_intersect([1,2,3,2,null], [2,3.0,null], [null,3,2,2]) → [2,3,null]
            array_intersect([1,1], [1]) → [1]
            array_intersect([1,1], [2]) → []
            array_intersect([1,1], {"a":1}) → null
            array_intersect(null, MISSING) → MISSING
            array_star([{"b":2,"a":1},{"a":[3]},7,{"b":null}]) → {"a":[1,[3],null,null],"b":[2,null,null,null]}
            array_star([1,[2]]) → {}
            array_star([]) → {}
            array_star({"a":1}) → null
            array_star(MISSING) → MISSING
            array_star([{"a":1},{"b":2},"a"], "a") → [1,null,null]
            array_star([{"a":1}], "c") → MISSING
            array_star("s", "a") → MISSING
            array_star([], "a") → MISSING
            """#)
        // As many names as items would make an object of a hundred million NULLs.
        let wide =
            "(SELECT query_array_agg(query_object('n' || value, 1)) FROM query_each(query_array_range(0, 10000)))"
        #expect(try stage.ask("query_array_star(\(wide))") == "X'00'")
        #expect(try stage.ask("query_array_length(query_array_star(\(wide), 'n5'))") == "10000")
    }

    @Test("objects made of other objects")
    func objectChanges() throws {
        try stage.check(
            #"""
            object_put({"a":1,"b":2}, "a", [3]) → {"a":[3],"b":2}
            object_put({"a":1}, "c", null) → {"a":1,"c":null}
            object_put({"a":1,"b":2}, "a", MISSING) → {"b":2}
            object_put({"b":2}, "a", MISSING) → {"b":2}
            object_put({}, "a\"b", "é") → {"a\"b":"é"}
            object_put({}, 1, 2) → null
            object_put([1], "a", 2) → null
            object_put(null, "a", 2) → null
            object_put({}, null, 2) → null
            object_put(MISSING, "a", 2) → MISSING
            object_put(null, MISSING, 2) → MISSING
            object_remove({"a":1,"b":2,"c":3}, "a", "c") → {"b":2}
            object_remove({"a":1}, "x") → {"a":1}
            object_remove({"a":1}, 1) → null
            object_remove({"a":1}, null) → null
            object_remove(null, MISSING) → MISSING
            object_remove([1], "a") → null
            object_concat({"a":1,"b":2}, {"b":3}, {"c":4,"a":5}) → {"b":3,"c":4,"a":5}
            object_concat({}, {}) → {}
            object_concat({}, [1]) → null
            object_concat(null, MISSING) → MISSING
            """#)
    }

    @Test("the result for the first value that equals another one, NULL and MISSING among them")
    func decode() throws {
        try stage.check(
            """
            decode(1, 1, "a", 2, "b") → "a"
            decode(2.0, 1, "a", 2, "b") → "b"
            decode(3, 1, "a", 3, "b", 3, "c", "z") → "b"
            decode(3, 1, "a", "z") → "z"
            decode(3, 1, "a") → null
            decode(null, 1, "a", null, "n") → "n"
            decode(MISSING, null, "n", MISSING, "m") → "m"
            decode(1, true, "t", 1, MISSING, "z") → MISSING
            decode(1, 2, "a", MISSING) → MISSING
            """)
    }

    @Test("distances of vectors")
    func distances() throws {
        try stage.check(
            """
            euclidean_distance([10,10], [13,14]) → 5.0
            euclidean_distance([10,10], [13,14], 2) → 25.0
            euclidean_distance(18, "foo") → MISSING
            euclidean_distance([10,10], [13]) → MISSING
            euclidean_distance([1], [2], 3) → null
            cosine_distance([1,0], [0,1]) → 1.0
            cosine_distance([3,4], [3,4]) → 0.0
            cosine_distance([0], [1]) → null
            cosine_distance(18, "foo") → MISSING
            """)
    }
}
