import Foundation
import SealiteDatabase
import SealiteValues

@testable import SealiteModel

/// A person with a member of each kind that conditions treat in their own way.
struct Resident: Model, Equatable {
    enum Mood: String, Codable, CaseIterable { case calm, glad }
    /// An enum without `CaseIterable`, which reads some raw values only.
    enum Rank: Int, Codable { case low = 3, high = 7 }
    struct Home: Codable, Equatable {
        var city: String
        var floor: Int?
        var owner: Reference<Resident>?
        var geo = Geo(north: 0)
    }
    struct Geo: Codable, Equatable { var north: Double }
    struct Phone: Codable, Equatable {
        var number: String
        var kinds: [String] = []
    }

    var id: Int
    var name: String
    var age: Int
    var nick: String?
    var born: Date?
    var wealth: Decimal128?
    var isAdmin = false
    var isLocked: Bool?
    var mood = Mood.calm
    var rank: Rank?
    var tags: [String] = []
    var marks: Set<Int> = []
    var phones: [Phone] = []
    var home: Home?
    var work = Home(city: "none")
    var friend: Reference<Resident>?
    var friends: [Reference<Resident>] = []
    var note = Value.null
    var code = UUID()
    var rating = 0.5

    /// A computed property, which is no member.
    var initial: String { String(name.prefix(1)) }
    var doubleAge: Int { age * 2 }
    var copy: String { name }

    enum CodingKeys: String, CodingKey {
        case id, name, age, nick, born, wealth, mood, rank, tags, marks, phones, home, work, friend, friends, note
        case code, rating
        case isAdmin = "admin"
        case isLocked = "locked state"
    }

    static let declaration = ModelDeclaration(collection: "residents")
}

/// Types whose key paths can't all be found.
struct Opaque: Model, Equatable {
    enum Only: String, Codable { case one, two }
    enum Letter: Codable, Equatable {
        case a(Int), b(String)
    }
    /// A type that reads what no sample has.
    struct Picky: Codable, Equatable {
        var text = "picky:1"
        init() {}
        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
            guard text.hasPrefix("picky:") else {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "too picky"))
            }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    var id = "o"
    var left = Only.one
    var right = Only.one
    var picky = Picky()
    var count = 1

    static let declaration = ModelDeclaration(
        .property("left", default: "one"), .property("right", default: "one"),
        .property("picky", type: .string, default: "picky:1"))
}

/// The same with the declaration that the errors ask for.
struct Declared: Model, Equatable {
    var id = "o"
    var left = Opaque.Only.one
    var right = Opaque.Only.one
    var inner = Inner()
    struct Inner: EmbeddedModel, Equatable {
        static let declaration = ModelDeclaration(
            .property("v", default: "one"), .property("other", default: "one"))
        var value = Opaque.Only.one
        var other = Opaque.Only.one
        enum CodingKeys: String, CodingKey { case value = "v", other }
    }

    static let declaration = ModelDeclaration(
        keyPaths: [
            "left": \Declared.left, "right": \Declared.right, "inner.v": \Declared.inner.value,
            "inner.othr": \Declared.inner.other,
        ],
        .property("left", default: "one"), .property("right", default: "one"))
}
