import SealiteValues
import Testing

@testable import SealiteModel
@testable import SealiteTestSupport

/// Migrates an object by the rules of Documentation/Models.md §4, over values in memory.
private struct MigrationOracle {
    let old: Schema
    let new: Schema
    let names: [String: [String: String]]

    func object(_ document: MongoDocument, _ type: String) -> MongoDocument {
        guard let before = old[type], let after = new[type] else { return document }
        var result: MongoDocument = [:]
        let sources = before.properties.filter { document[$0.name] != nil && target($0, type) != nil }
            .map { names[type]?[$0.name] ?? $0.name }
        for member in document {
            if let property = before[member.key] {
                guard let target = target(property, type) else { continue }
                let isFilled = member.value == .null && target.isRequired && !property.isRequired
                let value = isFilled ? target.defaultValue ?? .null : member.value
                result[target.name] = self.value(value, target.type)
            } else if !sources.contains(member.key) {
                let isNew = !before.properties.contains { target($0, type)?.name == member.key }
                let isFilled = member.value == .null && isNew && after[member.key]?.isRequired ?? false
                result[member.key] = isFilled ? after[member.key]?.initialValue : member.value
            }
        }
        for property in after.properties where property.isRequired && result[property.name] == nil {
            if let source = before.properties.first(where: { target($0, type) == property }) {
                if !source.isRequired { result[property.name] = property.defaultValue }
            } else {
                result[property.name] = property.initialValue
            }
        }
        return result
    }

    /// The property that has the values of an old one; nil where they go.
    private func target(_ property: Property, _ type: String) -> Property? {
        let found = new[type]?[names[type]?[property.name] ?? property.name]
        return found.flatMap { property.type.isStoredAs($0.type) ? $0 : nil }
    }

    private func value(_ value: BSON, _ type: PropertyType) -> BSON {
        switch (type, value) {
        case (.embedded(let name), .document(let document)): .document(object(document, name))
        case (.array(let item), .array(let items)): .array(items.map { self.value($0, item) })
        case (.dictionary(let item), .document(let document)):
            .document(MongoDocument(document.members.map { .init($0.key, self.value($0.value, item)) }))
        default: value
        }
    }
}

/// Random schemas and documents of few names, so that they meet.
private struct RandomTypes {
    var generator: SeededRandom

    private static let names = ["a", "b", "c", "d", "e"]

    private mutating func property(_ name: String, mayNest: Bool) -> Property {
        let types: [PropertyType] =
            [.long, .string, .bool, .array(.long)]
            + (mayNest ? [.embedded("E"), .array(.embedded("E")), .dictionary(.embedded("E"))] : [])
        let type = types.randomElement(using: &generator) ?? .bool
        var property = Property(name, type, isOptional: .random(using: &generator))
        if Bool.random(using: &generator) { property.defaultValue = ["long": 7, "string": "d"][type.bsonTypeName] }
        if Int.random(in: 0..<3, using: &generator) == 0 {
            property.renamedFrom = [Self.names.filter { $0 != name }.randomElement(using: &generator) ?? "x"]
        }
        return property
    }

    private mutating func object(_ name: String, isEmbedded: Bool) -> ObjectSchema {
        let chosen = Self.names.filter { _ in Bool.random(using: &generator) }
        let properties = chosen.map { property($0, mayNest: !isEmbedded) }
        return ObjectSchema(name, properties: properties, isEmbedded: isEmbedded)
    }

    mutating func schema() -> Schema { Schema([object("A", isEmbedded: false), object("E", isEmbedded: true)]) }

    mutating func document(depth: Int = 3) -> MongoDocument {
        var document: MongoDocument = [:]
        for name in (Self.names + ["x"]).shuffled(using: &generator) where Bool.random(using: &generator) {
            document[name] = value(depth: depth)
        }
        return document
    }

    private mutating func value(depth: Int) -> BSON {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &generator) {
        case 0: .null
        case 1: .bool(true)
        case 2: 12
        case 3: "text"
        case 4: .double(1.5)
        case 5: .array((0..<2).map { _ in value(depth: depth - 1) })
        default: .document(document(depth: depth - 1))
        }
    }
}

@Suite("bodies in migrations")
struct BodyPlansTests {
    @Test("bodies become in place what the rules say, and then stay as they are")
    func oracle() throws {
        var random = RandomTypes(generator: SeededRandom())
        for round in 0..<(Effort.current == .soak ? 100_000 : 2_000) {
            let (old, new) = (random.schema(), random.schema())
            var names: [String: [String: String]] = [:]
            for object in new.objects {
                names[object.name] = try old[object.name].map { try PropertyRenames($0, object).names() }
            }
            let plans = try BodyPlans(old, new, renames: names)
            let oracle = MigrationOracle(old: old, new: new, names: names)
            for _ in 0..<5 {
                let document = random.document()
                let body = try document.stored()
                let applied = try #require(plans.applied(to: body, of: "A"))
                let found = try #require(MongoDocument(stored: applied))
                let isRight = [found.sorted].isSame(as: [oracle.object(document, "A").sorted])
                #expect(isRight, "round \(round), SEALITE_SEED \(TestSeed.run): \(old) \(new) \(document) \(found)")
                #expect(plans.changes("A") || applied == body)
            }
        }
    }

    @Test("damaged bodies are refused, at every cut and with every byte changed")
    func damaged() throws {
        let inner = ObjectSchema("E", properties: [Property("s", .string)], isEmbedded: true)
        let old = Schema([ObjectSchema("A", properties: [Property("e", .array(.embedded("E")))]), inner])
        var new = old
        new.objects[1].properties = [Property("t", .string, renamedFrom: ["s"]), Property("n", .long)]
        let plans = try BodyPlans(old, new, renames: ["E": ["s": "t"]])
        let document: MongoDocument = ["e": [["s": "a"], ["s": .string(String(repeating: "b", count: 300))], 5]]
        let body = try document.stored()
        for count in 0..<body.count { #expect(plans.applied(to: Array(body.prefix(count)), of: "A") == nil) }
        for index in body.indices {
            for bit in 0..<8 {
                var changed = body
                changed[index] ^= 1 << UInt8(bit)
                _ = plans.applied(to: changed, of: "A")
                _ = plans.missing(in: changed, of: "A")
            }
        }
    }
}

extension MongoDocument {
    /// The document with the members of all documents in it sorted.
    fileprivate var sorted: MongoDocument {
        func sorted(_ value: BSON) -> BSON {
            switch value {
            case .document(let document): .document(document.sorted)
            case .array(let items): .array(items.map(sorted))
            default: value
            }
        }
        return MongoDocument(
            members.map { Member($0.key, sorted($0.value)) }.sorted { $0.key < $1.key })
    }
}
