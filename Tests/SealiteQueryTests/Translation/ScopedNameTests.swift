import SealiteDatabase
import Testing

@testable import SealiteQuery

@Suite("sources in named scopes")
struct ScopedNameTests {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        for (scope, name, body) in [
            ("travel", "hotel", ["n": 1, "name": "Ritz"]), ("travel", "landmark", ["n": 1, "name": "Tower"]),
            ("other", "hotel", ["n": 1, "name": "Inn"]),
        ] as [(String, String, DictionaryObject)] {
            let collection = try test.database.createCollection(name: name, scope: scope)
            try test.save(["\(scope)-\(name)": .dictionary(body)], in: collection)
        }
        try test.save(json: #"{"d": {"n": 1}}"#)
    }

    @Test(
        "a column that has a whole source is named by the source's last name, or by its alias",
        arguments: [
            ("SELECT * FROM travel.hotel", ["hotel"]), ("SELECT * FROM `travel.hotel`", ["hotel"]),
            ("SELECT hotel.* FROM travel.hotel", ["hotel"]), ("SELECT travel.hotel.* FROM travel.hotel", ["hotel"]),
            ("SELECT META() FROM travel.hotel", ["hotel"]), ("SELECT META(hotel) FROM travel.hotel", ["hotel"]),
            ("SELECT META(travel.hotel) FROM travel.hotel", ["hotel"]),
            ("SELECT hotel FROM travel.hotel", ["hotel"]), ("SELECT travel.hotel FROM travel.hotel", ["hotel"]),
            ("SELECT `travel.hotel`.name, HOTEL FROM travel.hotel", ["name", "hotel"]),
            ("SELECT * FROM travel.hotel AS h", ["h"]), ("SELECT h.*, META() FROM travel.hotel h", ["h", "h #2"]),
            ("SELECT *, * FROM travel.hotel", ["hotel", "hotel #2"]),
            ("SELECT *, 1 AS hotel FROM travel.hotel", ["hotel #2", "hotel"]),
            ("SELECT * FROM _default._default", ["_default"]), ("SELECT * FROM _", ["_"]),
            (
                "SELECT hotel.*, landmark.* FROM travel.hotel JOIN travel.landmark ON hotel.n = landmark.n",
                ["hotel", "landmark"]
            ),
            (
                "SELECT META(hotel), META(landmark), hotel.name, travel.landmark.name FROM travel.hotel RIGHT JOIN travel.landmark ON TRUE",
                ["hotel", "landmark", "name", "name #2"]
            ),
            (
                "SELECT travel.hotel.*, other.hotel.* FROM travel.hotel JOIN other.hotel ON TRUE",
                ["travel.hotel", "other.hotel"]
            ),
            ("SELECT travel.hotel.*, hotel.* FROM travel.hotel JOIN _ AS hotel ON TRUE", ["travel.hotel", "hotel"]),
            ("UPDATE travel.hotel SET m = 1 RETURNING *", ["hotel"]),
            ("SELECT t.* FROM (SELECT * FROM travel.hotel) AS t", ["t"]),
        ])
    func columns(text: String, names: [String]) throws {
        let results = try test.database.createQuery(text as String).execute()
        #expect(results.columnNames == names)
        #expect(results.allResults().count == 1)
    }

    @Test("the whole source of an inner query is its column of that name")
    func inner() throws {
        let query = try test.database.createQuery("SELECT t.hotel.name FROM (SELECT * FROM travel.hotel) AS t")
        #expect(try query.execute().map(\.values) == [[.text("Ritz")]])
    }
}
