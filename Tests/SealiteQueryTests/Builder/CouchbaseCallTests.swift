import Foundation
import SealiteDatabase
import Testing

@testable import SealiteQuery

/// Calls as they are written for Couchbase Lite's Swift API, with its types.
@Suite("calls with Couchbase Lite's types")
struct CouchbaseCallTests {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        try test.save(
            json:
                #"{"a": {"n": 5, "d": 1.5, "s": "text", "b": true, "l": [1, {"k": null}], "o": {"k": [2]}, "z": null}}"#
        )
    }

    private struct Unknown {}

    private func select(_ expression: ExpressionProtocol) throws -> Result {
        let query = QueryBuilder.select(SelectResult.expression(expression).as("v"))
            .from(DataSource.collection(try test.collection))
        return try #require(try query.execute().nextResult())
    }

    @Test("values of any type are literals")
    func literals() throws {
        let values: [Any?] = [
            "text", 5, Int8(5), UInt64.max, 1.5, Float(1.5), true, NSNumber(value: 5), NSNumber(value: true),
            NSNumber(value: 1.5), NSDecimalNumber(string: "12345678901234567890.5"), nil, NSNull(), Optional<Int>.none,
            Optional<Int>.some(5) as Any, ["a", 1, nil, [true]] as [Any?], ["k": ["x": NSNull()]] as [String: Any],
            Date(timeIntervalSince1970: 0), ArrayObject([1]), DictionaryObject([("k", 1)]), Value(7),
        ]
        let texts = [
            "\"text\"", "5", "5", "18446744073709551615", "1.5", "1.5", "true", "5", "true", "1.5",
            "12345678901234567890.5", "null", "null", "null", "5", "[\"a\",1,null,[true]]", "{\"k\":{\"x\":null}}",
            "{\"$date\":\"1970-01-01T00:00:00.000Z\"}", "[1]", "{\"k\":1}", "7",
        ]
        for (value, text) in zip(values, texts) {
            #expect(try select(Expression.value(value)).toJSON() == "{\"v\":\(text)}")
        }
        #expect(try select(Expression.value(nil)).value(at: 0) == .null)
        #expect(try select(Expression.number(NSNumber(value: 2.5))).double(at: 0) == 2.5)
        #expect(try select(Expression.number(nil)).value(at: 0) == .null)
        let items: [Any] = [1, "b"]
        let members: [String: Any] = ["k": 1]
        #expect(try select(Expression.array(items)).array(at: 0) == [1, "b"])
        #expect(try select(Expression.dictionary(members)).dictionary(at: 0) == ["k": 1])
        let name: String? = nil
        #expect(try select(Expression.value(name)).value(at: 0) == .null)
        #expect(try select(Expression.string(name)).value(at: 0) == .null)
    }

    @Test("a value that is no JSON is an error of the query, never a crash")
    func unusable() throws {
        var deep: Any = 1
        for _ in 0..<5000 { deep = [deep] }
        for value in [Unknown(), Double.nan, NSNumber(value: Double.infinity), [1, Unknown()], deep, { 1 }] as [Any] {
            #expect(throws: DatabaseError(.invalidQuery, "")) { try select(Expression.value(value)) }
            let query = try test.database.createQuery("SELECT $v AS v FROM _")
            query.parameters = Parameters().setInt(2, forName: "v").setValue(value, forName: "v")
            #expect(query.parameters?.value(forName: "v") as Value? == nil)
            #expect(throws: DatabaseError(.invalidParameter, "")) { try query.execute() }
            query.parameters = query.parameters?.setValue(1 as Any, forName: "v")
            #expect(try query.execute().nextResult()?.int(at: 0) == 1)
            #expect(throws: DatabaseError(.invalidQuery, "")) {
                try test.collection.createIndex(
                    IndexBuilder.valueIndex(items: ValueIndexItem.expression(Expression.value(value))), name: "i")
            }
        }
        for number in [Double.nan, .infinity] {
            #expect(throws: DatabaseError(.invalidQuery, "")) { try select(Expression.double(number)) }
        }
    }

    @Test("parameters take values of any type and give them back")
    func parameters() throws {
        let parameters = Parameters(parameters: nil)
            .setValue("text" as Any?, forName: "s").setNumber(NSNumber(value: 5), forName: "n")
            .setValue(["a", 1] as [Any], forName: "l").setValue(nil, forName: "z")
            .setArray(ArrayObject([1]), forName: "a").setDictionary(DictionaryObject([("k", 1)]), forName: "d")
        let text: Any? = parameters.value(forName: "s")
        #expect(text as? String == "text")
        #expect(parameters.value(forName: "n") as Any? as? Int == 5)
        let query = try test.database.createQuery("SELECT $s AS s, $n AS n, $l AS l, $z AS z, $a AS a, $d AS d FROM _")
        query.parameters = parameters
        let row = try #require(try query.execute().nextResult())
        #expect(try row.toJSON() == #"{"s":"text","n":5,"l":["a",1],"z":null,"a":[1],"d":{"k":1}}"#)
    }

    @Test("rows give Foundation's types, fragments and their keys")
    func rows() throws {
        let query = try test.database.createQuery("SELECT n, d, s, b, l, o, z FROM _")
        let row = try #require(try query.execute().nextResult())
        let number: NSNumber? = row.number(at: 0)
        let named: NSNumber? = row.number(forKey: "d")
        #expect(number == 5 && named == 1.5)
        let value: Any? = row.value(at: 2)
        let truth: Any? = row.value(forKey: "b")
        let null: Any? = row.value(forKey: "z")
        let none: Any? = row.value(forKey: "none")
        #expect(value as? String == "text" && truth as? Bool == true && null is NSNull && none == nil)
        let values: [Any] = row.toArray()
        let members: [String: Any] = row.toDictionary()
        #expect(values.count == 7 && values[0] as? Int == 5 && values[2] as? String == "text")
        #expect((members["o"] as? [String: Any])?["k"] as? [Int] == [2])
        #expect((members["l"] as? [Any])?.count == 2)
        #expect(row["o"]["k"][0].int == 2 && row[0].double == 5 && row["l"][1]["k"].exists && !row["l"][7].exists)
        #expect(
            row["z"].value == .null && row["none"].value == nil && row[-1].string == nil && row["s"].string == "text")
        var keys: [String] = []
        for key in row { keys.append(key) }
        #expect(keys == ["n", "d", "s", "b", "l", "o", "z"])
        let untyped = row.number(at: 0)
        #expect(untyped == Number(5) && row.toDictionary() == row.toDictionary() as DictionaryObject)
    }
}
