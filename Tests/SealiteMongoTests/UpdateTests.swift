import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("updates of documents")
struct UpdateTests {
    private func updated(_ document: MongoDocument, _ update: BSON, position: Int? = nil) throws -> MongoDocument {
        try Update(parsing: update).apply(to: document, position: position)
    }

    private func code(_ document: MongoDocument, _ update: BSON, _ filters: [BSON] = []) -> Int? {
        do {
            _ = try Update(parsing: update, arrayFilters: filters).apply(to: document)
            return nil
        } catch {
            return (error as? MongoError)?.code
        }
    }

    @Test("new members are added in the order of their names, numbers by value")
    func order() throws {
        let document = try updated(["_id": 1], ["$set": ["b": 1, "a.10": 1, "a.9": 1, "a.x": 1]])
        #expect(document == ["_id": 1, "a": ["9": 1, "10": 1, "x": 1], "b": 1])
    }

    @Test("two operators on one path, or one in front of another, are a conflict")
    func conflicts() {
        #expect(code([:], ["$set": ["a": 1], "$inc": ["a": 1]]) == 40)
        #expect(code([:], ["$set": ["a.b": 1], "$unset": ["a": 1]]) == 40)
        #expect(code([:], ["$rename": ["a": "b"], "$set": ["b": 1]]) == 40)
        #expect(code(["a": [1]], ["$set": ["a.$[]": 1, "a.0": 2]]) == 40)
        let filters: [BSON] = [["x": ["$gt": 0]], ["y": ["$gt": 1]]]
        #expect(code(["a": [1, 2]], ["$set": ["a.$[x]": 1], "$inc": ["a.$[y]": 2]], filters) == 40)
        #expect(code(["a": [1]], ["$set": ["a.$[x]": 1], "$inc": ["a.$[y]": 2]], filters) == nil)
    }

    @Test("paths that can't be are refused")
    func paths() {
        #expect(code([:], ["$set": ["": 1]]) == 56)
        #expect(code([:], ["$set": ["a..b": 1]]) == 56)
        #expect(code([:], ["$set": ["$a": 1]]) == 52)
        #expect(code(["a": 5], ["$set": ["a.b": 1]]) == 28)
        #expect(code(["a": [1]], ["$set": ["a.b": 1]]) == 28)
        #expect(code(["a": 5], ["$unset": ["a.b": 1]]) == nil)
        #expect(code(["a": [1]], ["$set": ["a.$": 1]]) == 2)
        #expect(code([:], ["$nope": ["a": 1]]) == 9)
    }

    @Test("integers widen to 64 bits, and beyond them is an error")
    func overflow() throws {
        #expect(try updated(["a": .int32(.max)], ["$inc": ["a": 1]])["a"] == .int64(Int64(Int32.max) + 1))
        #expect(code(["a": .int64(.max)], ["$inc": ["a": 1]]) == 2)
        #expect(code(["a": .int64(.max)], ["$mul": ["a": 2]]) == 2)
        #expect(try updated(["a": .int64(.max)], ["$inc": ["a": 1.0]])["a"] == .double(0x1p63))
    }

    @Test("an array is padded with nulls, but not without end")
    func padding() throws {
        #expect(try updated(["a": [1]], ["$set": ["a.3": 4]])["a"] == [1, nil, nil, 4])
        #expect(code(["a": []], ["$set": ["a.999999999": 1]]) == 2)
    }

    @Test("$push inserts, then sorts, then cuts")
    func push() throws {
        let update: BSON = ["$push": ["a": ["$each": [5, 1], "$position": 0, "$sort": -1, "$slice": 3]]]
        #expect(try updated(["a": [3, 9]], update)["a"] == [9, 5, 3])
        let last: BSON = ["$push": ["a": ["$each": [["x": 2]], "$sort": ["x": 1], "$slice": -2]]]
        #expect(try updated(["a": [["x": 3], ["x": 1]]], last)["a"] == [["x": 2], ["x": 3]])
        #expect(code([:], ["$push": ["a": ["$each": [1], "$nope": 1]]]) == 2)
    }

    @Test("the _id stays as it is, in front")
    func identity() throws {
        #expect(try updated(["_id": 1, "a": 1], ["$set": ["_id": 1.0]]).keys == ["_id", "a"])
        #expect(try updated(["_id": 1, "a": 1], ["b": 2]) == ["_id": 1, "b": 2])
        #expect(code(["_id": 1], ["$unset": ["_id": 1]]) == 66)
        #expect(code(["_id": 1], ["_id": 2]) == 66)
    }

    @Test("values are moved neither into arrays nor to the _id, and $pop needs a path that can be")
    func impossibleTargets() throws {
        let document: MongoDocument = ["_id": 1, "a": [1, [2]], "b": 4, "o": ["n": [["p": 1]], "l": [1, 2]]]
        for target in ["a.0", "a.7", "a.1.0", "o.n.0.p", "o.n.2"] {
            #expect(code(document, ["$rename": ["b": .string(target)]]) == 2)
        }
        #expect(code(document, ["$rename": ["missing": "a.0"]]) == nil)
        #expect(code(document, ["$rename": ["b": "_id"]]) == 66)
        #expect(code(document, ["$rename": ["b": "c\0"]]) == 9_867_600)
        #expect(code(document, ["$pop": ["b.c": 1]]) == 28)
        #expect(code(document, ["$pop": ["o.n.p": 1]]) == 28)
        #expect(code(document, ["$pop": ["o.missing": 1]]) == nil)
        #expect(try updated(document, ["$pop": ["o.l": 1]])["o"] == ["n": [["p": 1]], "l": [1]])
        #expect(code(document, ["$set": ["a.0": 1]], [["$expr": true]]) == 224)
    }

    @Test("names with a dollar sign are made inside objects, and zero stays negative")
    func dollarsAndZero() throws {
        #expect(try updated(["_id": 1], ["$set": ["a.$b": 1]]) == ["_id": 1, "a": ["$b": 1]])
        let zero = try updated(["a": -0.0, "b": -0.0], ["$inc": ["a": 0.0], "$mul": ["b": -0.0]])
        for name in ["a", "b"] {
            guard case .double(let number)? = zero[name] else { throw MongoError(code: 1, "not a double") }
            #expect(number.sign == .minus)
        }
    }

    @Test("one reading of the clock serves a whole statement")
    func clock() throws {
        let now = DateTime(milliseconds: 1_700_000_000_123)
        let update = try Update(
            parsing: ["$currentDate": ["a": true, "b": ["$type": "timestamp"]]], context: FilterContext(now: now))
        let document = try update.apply(to: ["_id": 1])
        #expect(document["a"] == .datetime(now))
        #expect(document["b"] == .timestamp(Timestamp(seconds: 1_700_000_000, increment: 1)))
    }
}
