import Foundation
import SealiteDatabase
@testable import SealiteModel
import SealiteValues
import Testing

@Suite("conditions by key paths")
struct ConditionTests {
    private struct Person: Model {
        var id: String
        var name: String
        var age: Int
    }

    @Test("the query of the issue is written as it stands there")
    func example() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Person.self)
        for (name, age) in [("Cy", 40), ("Al", 21), ("Bo", 22)] {
            try await store.save(Person(id: name, name: name, age: age))
        }
        let people = store.objects(Person.self).where(\.age > 21).sorted(by: \.name)
        #expect(try await people.all().map(\.name) == ["Bo", "Cy"])
        #expect(try people.text == store.objects(Person.self).where("age > 21").sorted("name").text)
        let other = store.objects(Person.self).where(\.age > 21 && .like(\.name, "B%") || !(\.age < 40))
        #expect(try await other.count() == 2)
    }

    @Test("each operator and function makes the tree of its text")
    func trees() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Resident.self)
        let friend = Resident(id: 7, name: "", age: 1)
        let born = Date(timeIntervalSince1970: 1.5)
        let cases: [(Condition<Resident>, String)] = [
            (\.age == 5, "age = 5"), (\.age != 5, "age != 5"), (\.age < 5, "age < 5"), (\.age <= 5, "age <= 5"),
            (\.age > -5, "age > -5"), (\.age >= 5, "age >= 5"), (\.nick == "x", "nick = 'x'"),
            (\.nick != "x", "nick IS NOT 'x'"), (\.nick == nil, "nick IS NOT VALUED"),
            (\.nick != nil, "nick IS VALUED"), (!(\.nick == nil), "nick IS VALUED"), (!(\.age == 5), "NOT age = 5"),
            (!(\.nick == "x"), "(nick = 'x') IS NOT TRUE"), (\.note == .null, "note IS NOT VALUED"),
            (\.note == 5, "note = 5"), (\.isAdmin == true, "admin = TRUE"),
            (\.isLocked == false, "`locked state` = FALSE"), (\.mood == .glad, "mood = 'glad'"),
            (\.rank == .high, "`rank` = 7"), (\.rank == nil, "`rank` IS NOT VALUED"), (\.rating > 0.5, "rating > 0.5"),
            (\.born > born, #"born > {"$date": "1970-01-01T00:00:01.500Z"}"#), (\.home == nil, "home IS NOT VALUED"),
            (\.home?.city == "x", "home.city = 'x'"), (\.home!.floor == 2, "home.floor = 2"),
            (\.work.city == "x", "work.city = 'x'"), (\.work.geo.north > 1, "work.geo.north > 1.0"),
            (\.work.floor == nil, "work.floor IS NOT VALUED"), (\.friend == friend, "friend = 7"),
            (\.friend != friend, "friend IS NOT 7"), (\.friend == Reference(id: 8), "friend = 8"),
            (\.home?.owner == Reference(friend), "home.owner = 7"), (\.tags == ["a"], "tags = ['a']"),
            (\.marks == [3, 1], "marks = [1, 3]"), (\.id == 5, "META().id = '$n:5'"),
            (\.id > 5, "TONUMBER(SUBSTR(META().id, 3)) > 5"),
            (\.wealth > 9, "TONUMBER(wealth.`$numberDecimal`) > 9"),
            (.like(\.name, "A%"), "name LIKE 'A%'"), (.hasPrefix(\.nick, "1%_"), #"nick LIKE '1\%\_%'"#),
            (.hasSuffix(\.name, "z"), "name LIKE '%z'"), (.contains(\.name, "z"), "CONTAINS(name, 'z')"),
            (.matches(\.name, "^z"), "REGEXP_LIKE(name, '^z')"), (.between(\.age, 1, 5), "age BETWEEN 1 AND 5"),
            (.in(\.age, [1, 2]), "age IN (1, 2)"), (.in(\.age, []), "FALSE"),
            (.in(\.nick, ["x", nil]), "nick IN ('x') OR nick IS NOT VALUED"),
            (.in(\.id, [1, 2]), "META().id IN ('$n:1', '$n:2')"), (.contains(\.tags, "a"), "'a' IN tags"),
            (.contains(\.marks, 3), "3 IN marks"), (.contains(\.friends, friend), "7 IN friends"),
            (.any(\.tags, \.self > "a"), "ANY item IN tags SATISFIES item > 'a' END"),
            (.any(\.phones, \.number == "1"), "ANY item IN phones SATISFIES item.number = '1' END"),
            (.all(\.phones, .contains(\.kinds, "k")), "EVERY item IN phones SATISFIES 'k' IN item.kinds END"),
            (
                .any(\.phones, .any(\.kinds, .like(\.self, "k%"))),
                "ANY item IN phones SATISFIES ANY item IN item.kinds SATISFIES item LIKE 'k%' END END"
            ),
            (\.age > 1 && \.age < 5 && \.nick == nil, "age > 1 AND age < 5 AND nick IS NOT VALUED"),
            (\.age > 1 && (\.age < 5 || \.nick == "x"), "age > 1 AND (age < 5 OR nick = 'x')"),
            (\.age > 1 || \.age < 5 || \.isAdmin == true, "age > 1 OR age < 5 OR admin = TRUE"),
        ]
        for (condition, text) in cases {
            let expected = store.objects(Resident.self).where(text)
            let query = store.objects(Resident.self).where(condition)
            #expect(try query.text == expected.text, "\(text)")
            #expect(try query.explain() == expected.explain(), "\(text)")
            #expect(try query.count() == 0, "\(text)")
        }
        let both = store.objects(Resident.self).where(\.age > 1).where(\.age < 5).limit(3, offset: 1)
        #expect(try both.text == store.objects(Resident.self).where("age > 1 AND age < 5").limit(3, offset: 1).text)
    }

    @Test("a list of any length is looked among")
    func longLists() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Resident.self)
        try await store.write { transaction in
            for id in 0..<1_000 { try transaction.save(Resident(id: id, name: "\(id)", age: id)) }
        }
        #expect(try await store.objects(Resident.self).where(.in(\.age, Array(250..<750))).count() == 500)
        #expect(try await store.objects(Resident.self).where(.in(\.id, Array(250..<2750))).count() == 750)
    }

    @Test("IDs of every type are compared, and sorted as what they are")
    func ids() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Resident.self, Dog.self, Person.self)
        for id in [10, 9, -1, 100] { try await store.save(Resident(id: id, name: "", age: 1)) }
        #expect(try await store.objects(Resident.self).sorted(by: \.id).all().map(\.id) == [-1, 9, 10, 100])
        #expect(try await store.objects(Resident.self).where(\.id < 10).count() == 2)
        #expect(try await store.objects(Resident.self).where(.between(\.id, 9, 10)).count() == 2)
        #expect(try await store.objects(Resident.self).where(\.id != 10).count() == 3)
        let dog = Dog(name: "Rex")
        try await store.save(dog)
        #expect(try await store.objects(Dog.self).where(\.id == dog.id).all() == [dog])
        try store.put(Person.self, documentID: "$x", #"{"name":"n","age":1}"#)
        try await store.save(Person(id: "$y", name: "n", age: 1))
        #expect(try await store.objects(Person.self).where(\.id == "$x").count() == 1)
        #expect(try await store.objects(Person.self).where(\.id == "$y").count() == 1)
        #expect(try await store.objects(Person.self).where(\.id != "$x").all().map(\.id) == ["$y"])
    }

    @Test("Decimal numbers are compared as numbers, dates as times")
    func order() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Resident.self)
        for (id, wealth) in [9, 10, -100].enumerated() {
            var resident = Resident(id: id, name: "", age: 1)
            resident.wealth = Decimal128(wealth)
            resident.born = Date(timeIntervalSince1970: Double(wealth))
            try await store.save(resident)
        }
        try await store.save(Resident(id: 3, name: "", age: 1))
        let all = store.objects(Resident.self)
        #expect(try await all.where(\.wealth >= Decimal128(9)).count() == 2)
        #expect(try await all.where(\.wealth < Decimal128(10)).count() == 2)
        #expect(try await all.sorted(by: \.wealth).all().map(\.id) == [3, 2, 0, 1])
        #expect(try await all.sorted(by: \.born, ascending: false).all().map(\.id) == [1, 0, 2, 3])
        #expect(try await all.where(\.born < Date(timeIntervalSince1970: 9.5)).count() == 2)
    }

    @Test("inverse links are found by key paths")
    func inverseLinks() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Resident.self)
        let ada = Resident(id: 1, name: "Ada", age: 1)
        var bob = Resident(id: 2, name: "Bob", age: 1)
        (bob.friend, bob.friends, bob.home) = (Reference(ada), [Reference(ada)], .init(city: "", owner: Reference(ada)))
        try await store.save(ada)
        try await store.save(bob)
        let queries = [
            store.objects(Resident.self, linkingBy: \.friend, to: ada),
            store.objects(Resident.self, linkingBy: \.friends, to: ada),
            store.objects(Resident.self, linkingBy: \.home?.owner, to: ada),
        ]
        for query in queries { #expect(try await query.all() == [bob]) }
        for (query, name) in zip(queries, ["friend", "friends", "home.owner"]) {
            #expect(try query.text == store.objects(Resident.self, linkingBy: name, to: ada).text)
        }
    }
}
