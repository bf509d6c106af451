import Foundation
import SealiteDatabase
import SealiteJSON
@testable import SealiteModel
import SealiteValues
import Testing

/// Types that use their coders in every way that Codable allows.
@Suite("containers of any shape")
struct ContainerTests {
    /// Nested containers, written to by turns.
    private struct Woven: Model, Equatable {
        enum Keys: String, CodingKey { case id, left, right, list, last }
        enum Inner: String, CodingKey { case a, b }
        var id: Int
        var numbers: [Int]

        init(id: Int, numbers: [Int]) { (self.id, self.numbers) = (id, numbers) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            id = try container.decode(Int.self, forKey: .id)
            let left = try container.nestedContainer(keyedBy: Inner.self, forKey: .left)
            let right = try container.nestedContainer(keyedBy: Inner.self, forKey: .right)
            numbers = [
                try left.decode(Int.self, forKey: .a), try right.decode(Int.self, forKey: .a),
                try left.decode(Int.self, forKey: .b), try right.decode(Int.self, forKey: .b),
            ]
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            while !list.isAtEnd { numbers.append(try list.decode(Int.self)) }
            numbers.append(try container.decode(Int.self, forKey: .last))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(id, forKey: .id)
            var left = container.nestedContainer(keyedBy: Inner.self, forKey: .left)
            var right = container.nestedContainer(keyedBy: Inner.self, forKey: .right)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try container.encode(numbers.last ?? 0, forKey: .last)
            try left.encode(numbers[0], forKey: .a)
            try right.encode(numbers[1], forKey: .a)
            for number in numbers[4..<(numbers.count - 1)] { try list.encode(number) }
            try left.encode(numbers[2], forKey: .b)
            try right.encode(numbers[3], forKey: .b)
        }

        static let declaration = ModelDeclaration(.property("list", type: .array(.long)))
    }

    @Test("nested containers are written to by turns")
    func woven() throws {
        let value = Woven(id: 1, numbers: [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(
            try written(value)
                == #"{"left":{"a":1,"b":3},"right":{"a":2,"b":4},"list":[5,6,7],"last":8}"#)
        #expect(try read(Woven.self, written(value), id: "$n:1") == value)
        let schema = try Schema(of: [Woven.self])
        #expect(schema["Woven"]?["left"]?.type == .embedded("Woven_left"))
        #expect(schema["Woven_left"]?.properties == [Property("a", .long), Property("b", .long)])
    }

    /// A class and its parent in one object, and in an object of the parent's own.
    // Sendable: nothing of it changes.
    private class Parent: Codable, @unchecked Sendable {
        let name: String
        init(name: String) { self.name = name }
    }
    // Sendable: nothing of it changes.
    private final class Child: Parent, @unchecked Sendable {
        enum Keys: String, CodingKey { case age }
        let age: Int
        init(name: String, age: Int) {
            self.age = age
            super.init(name: name)
        }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            age = try container.decode(Int.self, forKey: .age)
            try super.init(from: container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try super.encode(to: container.superEncoder())
            try container.encode(age, forKey: .age)
        }
    }
    private struct Family: Model {
        var id = 1
        var child: Child
    }

    @Test("a parent class lies in an object of its own")
    func superCoders() throws {
        let family = Family(child: Child(name: "n", age: 3))
        #expect(try written(family) == #"{"child":{"super":{"name":"n"},"age":3}}"#)
        let again = try read(Family.self, written(family), id: "$n:1")
        #expect(again.child.name == "n" && again.child.age == 3)
    }

    /// Members of two types in one object.
    private struct Flat: Model, Equatable {
        struct Base: Codable, Equatable {
            var a: Int
            var b: String?
        }
        enum Keys: String, CodingKey { case id, own }
        var id: Int
        var base: Base
        var own: Bool

        init(id: Int, base: Base, own: Bool) { (self.id, self.base, self.own) = (id, base, own) }
        init(from decoder: any Decoder) throws {
            base = try Base(from: decoder)
            let container = try decoder.container(keyedBy: Keys.self)
            (id, own) = (try container.decode(Int.self, forKey: .id), try container.decode(Bool.self, forKey: .own))
        }
        func encode(to encoder: any Encoder) throws {
            try base.encode(to: encoder)
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(id, forKey: .id)
            try container.encode(own, forKey: .own)
        }
    }

    @Test("two types share an object")
    func flat() throws {
        let value = Flat(id: 4, base: .init(a: 1, b: "x"), own: true)
        #expect(try written(value) == #"{"a":1,"b":"x","own":true}"#)
        #expect(try read(Flat.self, written(value), id: "$n:4") == value)
        #expect(try Schema(of: [Flat.self])["Flat"]?.properties.map(\.name) == ["a", "b", "_id", "own"])
    }

    /// A type that writes names which it makes up, and one of them twice.
    private struct Free: Model, Equatable {
        struct Content: Codable, Equatable {
            var members: [String: Int]
            init(_ members: [String: Int]) { self.members = members }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                members = [:]
                for key in container.allKeys { members[key.stringValue] = try container.decode(Int.self, forKey: key) }
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode("first", forKey: AnyKey("a"))
                for (name, number) in members.sorted(by: { $0.key > $1.key }) {
                    try container.encode(number, forKey: AnyKey(name))
                }
                try container.encodeNil(forKey: AnyKey("nothing"))
            }
        }
        var id: Int
        var content: Content
        static let declaration = ModelDeclaration(.property("content", type: .dictionary(.long)))
    }
    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }
    private struct FreeEmbedded: Model, Equatable {
        var id: Int
        var content: Free.Content
        static let declaration = ModelDeclaration(.property("content", type: .mixed))
    }

    @Test("of a name that is written twice the last value counts")
    func freeNames() throws {
        let value = FreeEmbedded(id: 1, content: .init(["b": 2, "a": 1]))
        #expect(try written(value) == #"{"content":{"b":2,"a":1}}"#)
        #expect(try read(FreeEmbedded.self, written(value), id: "$n:1") == value)
    }

    /// A type that catches the errors of its values, and writes its ID by an encoder of its own.
    private struct Careful: Model {
        /// A value that can't be encoded after it has written a part of itself.
        struct Broken: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode("part", forKey: AnyKey("part"))
                try container.encode(Date(timeIntervalSince1970: .infinity), forKey: AnyKey("date"))
            }
        }
        struct Items: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(1)
                try? container.encode(Broken())
                try container.encode(container.count)
            }
        }
        struct Single: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                do { try container.encode(Broken()) } catch { try container.encode("instead") }
            }
        }
        enum Keys: String, CodingKey { case id, date, text, broken, items, single }
        var id = 1
        var date: Date?
        var text = "t"

        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            id = try container.decode(Int.self, forKey: .id)
            date = try container.decodeIfPresent(Date.self, forKey: .date)
            text = try container.decode(String.self, forKey: .text)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try id.encode(to: container.superEncoder(forKey: .id))
            try? container.encode(Date(timeIntervalSince1970: .infinity), forKey: .date)
            try container.encode(text, forKey: .text)
            try? container.encode(Broken(), forKey: .broken)
            try container.encode(Items(), forKey: .items)
            try container.encode(Single(), forKey: .single)
        }
    }

    @Test("nothing stays of a value whose error its type catches")
    func caughtErrors() throws {
        #expect(try written(Careful()) == #"{"text":"t","items":[1,1],"single":"instead"}"#)
    }

    private struct Empty: Model, Equatable {
        struct Nothing: Codable, Equatable {}
        var id: Int
        var nothing: Nothing
        var list: [Nothing]
        static let declaration = ModelDeclaration(
            .property("nothing", type: .mixed), .property("list", type: .array(.mixed)))
    }

    @Test("a type without members is an empty object")
    func empty() throws {
        let value = Empty(id: 1, nothing: .init(), list: [.init(), .init()])
        #expect(try written(value) == #"{"nothing":{},"list":[{},{}]}"#)
        #expect(try read(Empty.self, written(value), id: "$n:1") == value)
    }

    private struct Context: Model {
        static let key = CodingUserInfoKey(rawValue: "unit")
        var id: Int
        var text: String
        init(id: Int) { (self.id, text) = (id, "") }
        enum Keys: String, CodingKey { case id, text }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            id = try container.decode(Int.self, forKey: .id)
            text = try container.decode(String.self, forKey: .text) + (Self.unit(decoder.userInfo))
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(Self.unit(encoder.userInfo), forKey: .text)
        }
        private static func unit(_ context: [CodingUserInfoKey: Any]) -> String {
            key.flatMap { context[$0] } as? String ?? "?"
        }
    }

    @Test("types see the configuration's context")
    func userInfo() async throws {
        let fixture = try StoreFixture()
        var configuration = ModelConfiguration(types: [Context.self])
        configuration.userInfo = [try #require(Context.key): "km"]
        let store = try await ModelStore.open(fixture.database, configuration)
        try await store.save(Context(id: 1))
        #expect(try await store.object(Context.self, id: 1)?.text == "kmkm")
    }
}
