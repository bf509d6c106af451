import Foundation
import SealiteDatabase
import SealiteJSON
@testable import SealiteModel
import SealiteValues
import Testing

/// Reading and writing of absent, null and unknown members.
@Suite("absent and unknown members")
struct MembersTests {
    private struct Part: Codable, Equatable {
        var a: Int?
        var b: String?
    }

    private struct Person: Model, Equatable {
        var id = fixedID
        var name: String
        var age: Int
        var nick: String?
        var tags: [String]
        var marks: Set<Int>
        var phones: [String: String]
        var home: Part?
        var work: Part
        var note: Value

        static let declaration = ModelDeclaration(
            .property("name", default: "nobody", renamedFrom: "fullName", "title"), .property("age", default: 7))
    }

    @Test("absent members and null take the default, or are empty or nil")
    func absent() throws {
        let empty = Person(
            name: "nobody", age: 7, tags: [], marks: [], phones: [:], home: nil, work: Part(), note: .null)
        #expect(try read(Person.self, "{}") == empty)
        let nulls =
            #"{"name":null,"age":null,"nick":null,"tags":null,"marks":null,"phones":null,"home":null,"work":null,"note":null}"#
        #expect(try read(Person.self, nulls) == empty)
    }

    @Test("a member is read from its earlier names, the latest first")
    func renamed() throws {
        #expect(try read(Person.self, #"{"title":"t"}"#).name == "t")
        #expect(try read(Person.self, #"{"title":"t","fullName":"f"}"#).name == "f")
        #expect(try read(Person.self, #"{"title":"t","fullName":"f","name":"n"}"#).name == "n")
        #expect(try read(Person.self, #"{"fullName":null}"#).name == "nobody")
    }

    @Test("a saved member takes the place of its earlier name, and the earlier name goes")
    func renaming() throws {
        #expect(try merged(#"{"x":1,"title":"t","y":2}"#) { $0.name = "new" }.hasPrefix(#"{"x":1,"name":"new","y":2,"#))
        #expect(
            try merged(#"{"title":"t","x":1,"name":"n"}"#) { _ in }.hasPrefix(#"{"x":1,"name":"n","#))
    }

    private func merged(_ json: String, _ change: (inout Person) -> Void) throws -> String {
        var person = try read(Person.self, json)
        change(&person)
        let stored = try JSONB.parse(Array(json.utf8))
        let coder = try ModelCoder(Person.self)
        let body = coder.merged(try coder.body(of: person).body, into: stored) ?? stored
        return String(decoding: try JSONBSerializer.text(of: body.span), as: UTF8.self)
    }

    @Test("unknown members stay where they are, in embedded objects too, and those that became nil go")
    func unknown() throws {
        let json =
            #"{"z":[1.50,{"q":null}],"name":"n","nick":"k","home":{"c":1e5,"a":1,"d":2,"b":"x"},"age":1,"y":{},"work":{"w":1}}"#
        let expected =
            #"{"z":[1.50,{"q":null}],"name":"m","home":{"c":1e5,"d":2,"b":"x"},"age":1,"y":{},"work":{"w":1},"tags":[],"marks":[],"phones":{},"note":null}"#
        #expect(
            try merged(json) {
                $0.name = "m"
                $0.nick = nil
                $0.home?.a = nil
            } == expected)
    }

    @Test("an embedded object that becomes nil goes with its unknown members, and a new one comes alone")
    func embedded() throws {
        #expect(try !merged(#"{"home":{"c":1}}"#) { $0.home = nil }.contains("home"))
        #expect(try merged(#"{"name":"n"}"#) { $0.home = Part(a: 1) }.contains(#""home":{"a":1}"#))
    }

    @Test("a value that is the same stays as it is stored: numbers, times, and the order of sets and dictionaries")
    func sameValues() throws {
        let json =
            #"{"name":"n","age":7.0,"tags":["a"],"marks":[3,1.0,2],"phones":{"b":"1","a":"2"},"work":{},"note":null}"#
        #expect(try merged(json) { _ in } == json)
        #expect(try merged(json) { $0.marks.insert(4) }.contains(#""marks":[1,2,3,4]"#))
        #expect(try merged(json) { $0.phones["c"] = "3" }.contains(#""phones":{"a":"2","b":"1","c":"3"}"#))
    }

    @Test(
        "a stored null that is read as nil or as the default isn't kept by the next save, and one of a mixed value is")
    func storedNulls() throws {
        #expect(
            try merged(#"{"name":"n","nick":null,"age":7,"home":{"a":null,"c":null},"note":null}"#) { _ in }
                == #"{"name":"n","age":7,"home":{"c":null},"note":null,"tags":[],"marks":[],"phones":{},"work":{}}"#)
        #expect(try merged(#"{"name":null,"age":null}"#) { _ in }.hasPrefix(#"{"name":"nobody","age":7,"#))
    }

    @Test("a mixed value is what it is: 1 and 1.0 are two")
    func mixedForms() throws {
        let json = #"{"name":"n","age":7,"tags":[],"marks":[],"phones":{},"work":{},"note":1.0}"#
        #expect(try merged(json) { _ in } == json)
        #expect(try merged(json) { $0.note = 1 }.contains(#""note":1}"#))
    }

    @Test("mixed values go down 100 levels")
    func depth() throws {
        func nested(_ levels: Int) -> Value {
            (0..<levels).reduce(1) { value, level in level.isMultiple(of: 2) ? [value] : ["k": value] }
        }
        let deep = Dog(id: fixedID, details: nested(100))
        #expect(try read(Dog.self, written(deep)) == deep)
        do {
            _ = try written(Dog(id: fixedID, details: nested(101)))
            Issue.record("101 levels are written")
        } catch let error as DatabaseError {
            #expect(error.code == .encodingFailed)
            #expect(error.description.contains("Dog") && error.description.contains("details"))
        }
    }

    @Test("errors name the type, the document and the member, and never the value")
    func errors() {
        for (json, member) in [
            (#"{"age":"secret"}"#, "age"), (#"{"work":{"a":"secret"}}"#, "work.a"),
            (#"{"tags":["x",{"secret":1}]}"#, "tags.1"),
            (#"{"phones":{"k":[]}}"#, "phones.k"), (#"{"marks":"secret"}"#, "marks"),
        ] {
            do {
                _ = try read(Person.self, json)
                Issue.record("\(json) is read")
            } catch {
                let text = "\(error)"
                #expect(text.contains("Person") && text.contains("616f44305a205add93ff1081"), "\(text)")
                #expect(text.contains("\"\(member)\""), "\(text)")
                #expect(!text.contains("secret"), "\(text)")
            }
        }
    }

    @Test("a member of a body that has the ID's name isn't the ID, and stays")
    func ids() throws {
        let json = #"{"id":"mine","name":"n"}"#
        #expect(try read(Person.self, json).id == fixedID)
        #expect(try merged(json) { $0.name = "m" }.hasPrefix(#"{"id":"mine","name":"m","#))
    }

    /// A type that requests its ID twice.
    private struct Twice: Model {
        enum Keys: String, CodingKey { case id }
        var id: String
        var again: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            (id, again) = (
                try container.decode(String.self, forKey: .id), try container.decode(String.self, forKey: .id)
            )
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(id, forKey: .id)
        }
    }

    @Test("a type that requests its ID twice gets the document's ID twice")
    func idRequestedTwice() throws {
        #expect(try read(Twice.self, #"{"id":"other"}"#, id: "own").again == "own")
    }

    private struct Accented: Model {
        enum CodingKeys: String, CodingKey { case id, size = "gr\u{F6}sse" }
        var id = fixedID
        var size: Int?
    }

    @Test("a member whose name is a declared one in another form of Unicode is an unknown member, and stays")
    func formsOfUnicode() throws {
        let coder = try ModelCoder(Accented.self)
        let stored = try JSONB.parse(Array("{\"gro\u{308}sse\":1}".utf8))
        let merged = try #require(coder.merged(try coder.body(of: Accented(size: 2)).body, into: stored))
        // Two texts of other forms would be equal.
        let text = try JSONBSerializer.text(of: merged.span)
        #expect(text == Array("{\"gro\u{308}sse\":1,\"gr\u{F6}sse\":2}".utf8))
    }
}
