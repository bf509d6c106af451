import Foundation
import SealiteDatabase
@testable import SealiteModel
import SealiteTestSupport
import SealiteValues
import Testing

@Suite("members of key paths")
struct KeyPathTests {
    private func name<Root: Codable>(_ keyPath: PartialKeyPath<Root>) throws -> String {
        let member = try MemberPath.of(keyPath)
        return (member.isID ? "#" : "") + member.names.joined(separator: ".")
    }

    @Test("members of every type are found")
    func types() throws {
        let paths: [(PartialKeyPath<Everything>, String)] = [
            (\.id, "#id"), (\.bool, "bool"), (\.int8, "int8"), (\.int16, "int16"), (\.int32, "int32"), (\.int, "int"),
            (\.int64, "int64"), (\.uint8, "uint8"), (\.uint64, "uint64"), (\.double, "double"), (\.float, "float"),
            (\.string, "string"), (\.date, "date"), (\.decimal, "decimal"), (\.object, "object"), (\.uuid, "uuid"),
            (\.data, "data"), (\.bytes, "bytes"), (\.mixed, "mixed"), (\.array, "array"), (\.set, "set"),
            (\.dictionary, "dictionary"), (\.embedded, "embedded"), (\.embedded.street, "embedded.street"),
            (\.embedded.number, "embedded.number"), (\.addresses, "addresses"), (\.byName, "byName"), (\.link, "link"),
            (\.links, "links"), (\.point, "point"), (\.size, "size"), (\.level, "level"), (\.nested, "nested"),
            (\.sets, "sets"), (\.address, "address"), (\.none, "none"),
        ]
        for (path, expected) in paths { #expect(try name(path) == expected) }
    }

    @Test("an object of every type of members is found by each of them, as by the text form")
    func conditions() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Everything.self)
        let all = Everything.sample
        try await store.save(all)
        let conditions: [Condition<Everything>] = [
            \.bool == all.bool, \.int8 == all.int8, \.int16 == all.int16, \.int32 == all.int32, \.int == all.int,
            \.int64 == all.int64, \.uint8 == all.uint8, \.uint64 == all.uint64, \.double == all.double,
            \.float == all.float, \.string == all.string, \.date == all.date, \.decimal == all.decimal,
            \.object == all.object, \.uuid == all.uuid, \.data == all.data, \.bytes == all.bytes, \.mixed == all.mixed,
            \.array == all.array, \.set == all.set, \.dictionary == all.dictionary, \.embedded == all.embedded,
            \.addresses == all.addresses, \.byName == all.byName, \.link == all.link, \.links == all.links,
            \.point == all.point, \.size == all.size, \.level == all.level, \.nested == all.nested, \.sets == all.sets,
            \.address == all.address, \.none == nil, \.id == all.id, \.int < 0, \.int64 > 0, \.uint8 >= 255,
            \.float < 0.2, \.string > "a", \.date > .distantPast, \.object >= fixedID, \.uuid <= fixedUUID,
            .contains(\.links, all), .any(\.addresses, \.number == 1), .contains(\.array, 3), .contains(\.set, "aa"),
            .in(\.level, [.high]), .in(\.date, [all.date]),
        ]
        for condition in conditions {
            #expect(try await store.objects(Everything.self).where(condition).count() == 1, "\(condition.text)")
            #expect(try await store.objects(Everything.self).where(!condition).count() == 0, "\(condition.text)")
        }
    }

    @Test("members with other names in documents, inside embedded objects, and behind optional ones are found")
    func names() throws {
        #expect(try name(\Resident.isAdmin) == "admin")
        #expect(try name(\Resident.isLocked) == "locked state")
        #expect(try name(\Resident.rank) == "rank")
        #expect(try name(\Resident.home?.geo.north) == "home.geo.north")
        #expect(try name(\Resident.home!.geo) == "home.geo")
        #expect(try name(\Resident.work.geo) == "work.geo")
        #expect(try name(\Resident.home) == "home")
        #expect(try name(\Resident.id) == "#id")
        #expect(try name(\Resident.Phone.kinds) == "kinds")
        #expect(try name(\Resident.copy) == "name")
    }

    private func problem<Root: Codable>(_ keyPath: PartialKeyPath<Root>) -> String {
        do {
            return try name(keyPath)
        } catch {
            return "\(error)"
        }
    }

    @Test("what is no member is an error that says what to declare")
    func errors() throws {
        let computed = problem(\Resident.doubleAge)
        #expect(computed.contains("in 'Resident' cannot be found: no stored member always has its value"))
        #expect(computed.contains("ModelDeclaration(keyPaths: ["))
        #expect(problem(\Resident.initial).contains("no stored member always has its value"))
        for subscripted in [
            problem(\Resident.tags[5]), problem(\Resident.phones[0].number), problem(\Resident.name.count),
        ] {
            #expect(subscripted.contains("it leads through a subscript or a computed property"))
        }
        #expect(problem(\Opaque.left).contains("'left' and 'right' can't be told apart"))
        #expect(problem(\Opaque.left).contains("\\Opaque.left"))
        #expect(problem(\Opaque.picky) == "picky")
        #expect(problem(\Opaque.count) == "count")
    }

    private struct Pair<Part: Codable & Sendable>: Codable, Sendable {
        var left: Part?
        var right: Part?
        var list: [Part] = []
    }
    private typealias Four<Part: Codable & Sendable> = Pair<Pair<Pair<Pair<Part>>>>
    private struct Leaf: Codable { var number = 1 }
    private struct Wide: Model {
        var id = 1
        var parts: Four<Four<Pair<Leaf>>>?
        var last = ""
    }

    @Test("types that use each other many times take bounded time", .endsIfItHangs)
    func manyPlaces() throws {
        #expect(try name(\Wide.last) == "last")
        #expect(try name(\Wide.parts?.left?.left?.list) == "parts.left.left.list")
    }

    @Test("what can't be found is what the declaration names")
    func declared() throws {
        #expect(try name(\Declared.left) == "left")
        #expect(try name(\Declared.right) == "right")
        #expect(try name(\Declared.inner.value) == "inner.v")
        let text = problem(\Declared.inner.other)
        #expect(text.contains("the declaration names 'inner.othr', and the type has no such member; did you mean"))
    }

    @Test("the error comes when a query is run, and from every call")
    func atFirstUse() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Resident.self)
        let query = store.objects(Resident.self)
        for wrong in [
            query.where(\.doubleAge > 5), query.where(\.age > 1 || !(\.doubleAge > 5)), query.sorted(by: \.doubleAge),
            query.distinct(by: \.doubleAge), query.where(.any(\.phones, \.number.count > 1)),
        ] {
            await #expect(throws: SchemaError.self) { try await wrong.all() }
            await #expect(throws: SchemaError.self) { try await wrong.count() }
        }
    }
}
