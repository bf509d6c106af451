import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("the bounds that filters put on paths")
struct FilterBoundsTests {
    private func bounds(_ filter: MongoDocument) throws -> [FilterBounds.PathBounds] {
        try FilterBounds(Filter(parsing: filter)).paths
    }

    @Test("equality is a point, and comes first")
    func equality() throws {
        let found = try bounds(["a": ["$gt": 1], "b": 5])
        #expect(found.map(\.path) == ["b", "a"])
        #expect(found[0].intervals == [.init(lower: 5, upper: 5)])
        #expect(!found[0].includesMissing)
    }

    @Test("null includes what is missing")
    func null() throws {
        #expect(try bounds(["a": nil])[0].includesMissing)
        #expect(try bounds(["a": ["$in": [1, nil]]])[0].includesMissing)
        #expect(try bounds(["a": ["$gte": nil]])[0].includesMissing)
    }

    @Test("a range stays within its type, and two on one path aren't put together")
    func ranges() throws {
        let found = try bounds(["a": ["$gt": 1, "$lte": 5]])
        #expect(found.count == 2)
        #expect(found[0].intervals == [.init(lower: 1, upper: .double(.infinity), includesLower: false)])
        #expect(found[1].intervals == [.init(lower: .double(-.infinity), upper: 5)])
    }

    @Test("the conditions of one item are on the paths below its array")
    func items() throws {
        let found = try bounds(["a": ["$elemMatch": ["b": 1, "c.d": ["$in": [2, 3]]]]])
        #expect(found.map(\.path) == ["a.b", "a.c.d"])
        #expect(try bounds(["a": ["$elemMatch": ["$gte": 2]]])[0].path == "a")
    }

    @Test("a pattern with a literal beginning is a range of strings")
    func patterns() throws {
        let found = try bounds(["a": .regex(Regex("^abc+d"))])
        #expect(found[0].intervals[0].lower == "abc")
        #expect(try bounds(["a": .regex(Regex("^abc*"))])[0].intervals[0].lower == "ab")
        // The strings with the prefix end before the upper bound, whichever character follows the prefix.
        for (prefix, upper) in [
            ("ab", "ac"), ("a\u{D7FF}", "a\u{E000}"), ("ab\u{10FFFF}\u{10FFFF}", "ac"), ("\u{10FFFF}", [:]),
        ] as [(String, BSON)] {
            let strings = try bounds(["a": .regex(Regex("^" + prefix))])[0].intervals[0]
            #expect(strings == FilterBounds.Interval(lower: .string(prefix), upper: upper, includesUpper: false))
        }
        // A combining mark belongs to the text, and not to the metacharacter before it.
        #expect(try bounds(["a": .regex(Regex("^ab*\u{301}"))])[0].intervals[0].lower == "a")
        #expect(try bounds(["a": .regex(Regex("^abe\u{301}*"))])[0].intervals[0].lower == "abe")
        #expect(try bounds(["a": .regex(Regex("^abc|\u{301}x"))]).isEmpty)
        #expect(try bounds(["a": .regex(Regex("^a|b"))]).isEmpty)
        #expect(try bounds(["a": .regex(Regex("abc"))]).isEmpty)
        #expect(try bounds(["a": .regex(Regex("^abc", options: "i"))]).isEmpty)
    }

    @Test("negations, alternatives and sizes say nothing")
    func others() throws {
        #expect(try bounds(["a": ["$ne": 1]]).isEmpty)
        #expect(try bounds(["$or": [["a": 1], ["b": 2]]]).isEmpty)
        #expect(try bounds(["a": ["$size": 1]]).isEmpty)
    }
}
