import SealiteDatabase
@testable import SealiteModel
import SealiteValues
import Testing

@Suite("one object of each value")
struct DistinctTests {
    private func town() throws -> (StoreFixture, ModelStore) {
        let fixture = try StoreFixture()
        let store = try fixture.store(Resident.self)
        let rows: [(String, Int, String?)] = [
            ("d", 3, "x"), ("a", 1, "x"), ("c", 2, nil), ("b", 1, nil), ("f", 9, "y"), ("e", 2, "y"),
        ]
        try store.write { transaction in
            for (id, row) in rows.enumerated() {
                try transaction.save(Resident(id: id, name: row.0, age: row.1, nick: row.2))
            }
        }
        // nil as another program may write it.
        try store.put(
            Resident.self, 6,
            #"{"name":"g","age":5,"nick":null,"admin":false,"mood":"calm","work":{"city":"","geo":{"north":0}},"code":{"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"},"rating":1}"#
        )
        return (fixture, store)
    }

    @Test("the first object of each value in the query's order stays; nil is one value however it is written")
    func distinct() throws {
        let (fixture, store) = try town()
        defer { withExtendedLifetime(fixture) {} }
        let all = store.objects(Resident.self)
        let names = { (query: ObjectQuery<Resident>) in try query.all().map(\.name).joined() }
        #expect(try names(all.sorted(by: \.name).distinct(by: \.nick)) == "abe")
        #expect(try names(all.sorted(by: \.name, ascending: false).distinct(by: \.nick)) == "gfd")
        #expect(try names(all.sorted(by: \.age).sorted(by: \.name).distinct(by: \.nick)) == "abe")
        #expect(try names(all.sorted(by: \.name).distinct(by: \.nick).distinct(by: \.age)) == "abcdefg")
        #expect(try names(all.where(\.age > 1).sorted(by: \.name).distinct(by: \.nick)) == "cde")
        #expect(try names(all.sorted(by: \.name).distinct(by: \.nick).limit(1, offset: 1)) == "b")
        #expect(try Set(all.distinct(by: \.nick).all().map(\.name)) == ["d", "c", "f"])
        #expect(try names(all.sorted("name").distinct("nick")) == "abe")
        #expect(try all.distinct(by: \.nick).count() == 3)
        #expect(try all.distinct(by: \.nick).limit(5, offset: 1).count() == 2)
        #expect(try all.sorted(by: \.age, ascending: false).distinct(by: \.nick).first()?.name == "f")
        #expect(try all.distinct(by: \.id).count() == 7)
        #expect(try all.limit(0).first() == nil)
        #expect(try all.distinct(by: \.work.city).count() == 2)
    }
}
