import Foundation
import SealiteTestSupport
import SealiteValues

@testable import SealiteModel

/// Random schemas of every type of property, and documents that fit them.
struct RandomSchemas {
    var generator: SeededRandom
    /// A text that all names of types end with, so that several schemas can be in one program.
    var suffix = ""
    /// A Boolean value that says whether the schemas have what a declaration in Swift can't say: constraints, and removed properties.
    var hasConstraints = true

    init(seed: UInt64) { generator = SeededRandom(seed: seed) }

    private static let titles = [
        "Dog", "big dog", "class", "Überhund", "String", "2D", "Model", "a.b", "Self", "Person_address", "Value",
    ]

    private static let names = [
        "name", "first name", "class", "self", "id", "init", "hashValue", "a.b", "2nd", "größe", "Type", "CodingKeys",
        "declaration", "日本", "x-y", "default", "Date", "ObjectID", "price", "tags", "é", "in", "q\"b", "c\\d", "e\nf",
        "description", "none", "rawValue", "ID",
    ]

    private static let descriptions = [
        "A name.", "", "Two\nlines", "an end */ of a comment", "/// a comment", "\u{202E}turned", "a\r\nb\u{2028}c",
        "\"quoted\"\\n",
    ]

    // MARK: - Chances

    mutating func isLucky(_ chance: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < chance }

    private mutating func pick<T>(_ items: [T]) -> T { items[Int.random(in: 0..<items.count, using: &generator)] }

    private mutating func some(_ items: [String], _ range: ClosedRange<Int>) -> [String] {
        Array(items.shuffled(using: &generator).prefix(Int.random(in: range, using: &generator)))
    }

    // MARK: - Schemas

    /// A schema of up to three types with documents and up to three embedded ones.
    mutating func schema() -> Schema {
        var titles = some(Self.titles, 2...6).map { $0 + suffix }
        let rootCount = Int.random(in: 1...min(3, titles.count), using: &generator)
        let roots = Array(titles.prefix(rootCount))
        titles.removeFirst(rootCount)
        let keys = roots.map { _ in pick([PropertyType.objectID, .uuid, .string, .int, .long]) }
        var embedded: [ObjectSchema] = []
        for title in titles {
            let types = embedded.map(\.name)
            embedded.append(object(title, Links(roots, keys), embedded: types, in: Schema(embedded), isEmbedded: true))
        }
        var objects: [ObjectSchema] = []
        for (title, key) in zip(roots, keys) {
            let types = embedded.map(\.name)
            var root = object(title, Links(roots, keys), embedded: types, in: Schema(embedded), isEmbedded: false)
            let name = isLucky(0.8) ? "_id" : "key"
            root.properties.insert(Property(name, key, isIndexed: false), at: 0)
            root.primaryKey = name
            objects.append(root)
        }
        return Self.reachable(objects, embedded)
    }

    /// The types with documents, and the embedded ones that are somewhere in them.
    static func reachable(_ roots: [ObjectSchema], _ embedded: [ObjectSchema]) -> Schema {
        var (found, open) = (Set<String>(), roots)
        while let object = open.popLast() {
            for name in (object.properties + object.removed).compactMap(\.type.embeddedName)
            where found.insert(name).inserted {
                open += embedded.filter { $0.name == name }
            }
        }
        return Schema(roots + embedded.filter { found.contains($0.name) })
    }

    private struct Links {
        let targets: [(name: String, key: PropertyType)]

        init(_ names: [String], _ keys: [PropertyType]) { targets = Array(zip(names, keys)).map { ($0, $1) } }
    }

    private mutating func object(
        _ title: String, _ links: Links, embedded: [String], in schema: Schema, isEmbedded: Bool
    ) -> ObjectSchema {
        var object = ObjectSchema(title, properties: [], isEmbedded: isEmbedded)
        let names = some(Self.names, 1...9)
        for name in names { object.properties.append(property(name, links, embedded, schema)) }
        for index in object.properties.indices where isLucky(0.2) {
            object.properties[index].renamedFrom = some(["old \(index)", "older \(index)", "oldest\" \(index)"], 1...2)
        }
        if isLucky(0.3) { object.description = pick(Self.descriptions) }
        guard hasConstraints else { return object }
        if isLucky(0.2) { object.constraints["maxProperties"] = 40 }
        if isLucky(0.2) { object.constraints["additionalProperties"] = false }
        if !isEmbedded, isLucky(0.2) {
            object.removed = some(["gone", "lost"], 1...2).map { property($0, links, embedded, schema) }
        }
        return object
    }

    private mutating func property(
        _ name: String, _ links: Links, _ embedded: [String], _ schema: Schema
    ) -> Property {
        var property = Property(name, type(links, embedded, depth: 2))
        property.isOptional = property.hasOptionality ? isLucky(0.5) : !property.type.isCollection
        if isLucky(0.2) { property.description = pick(Self.descriptions) }
        if property.type.isIndexable, isLucky(0.3) { property.isIndexed = true }
        if isLucky(0.3), !property.type.isLink, property.type.embeddedName == nil || isLucky(0.5) {
            property.defaultValue = value(of: property.type, in: schema, isMinimal: isLucky(0.3))
            if property.defaultValue == .null { property.defaultValue = nil }
        }
        if hasConstraints { property.constraints = constraints(property.type) }
        return property
    }

    private mutating func type(_ links: Links, _ embedded: [String], depth: Int) -> PropertyType {
        let scalars: [PropertyType] = [
            .bool, .int, .long, .double, .string, .data, .date, .decimal128, .objectID, .uuid, .mixed, .geoPoint,
        ]
        switch Int.random(in: 0..<(depth > 0 ? 20 : 14), using: &generator) {
        case 12 where !embedded.isEmpty: return .embedded(pick(embedded))
        case 13:
            let target = pick(links.targets)
            return .link(to: target.name, key: target.key)
        case 14, 15: return .array(type(links, embedded, depth: depth - 1))
        case 16, 17: return .set(type(links, embedded, depth: depth - 1))
        case 18, 19: return .dictionary(type(links, embedded, depth: depth - 1))
        default: return pick(scalars)
        }
    }

    private mutating func constraints(_ type: PropertyType) -> MongoDocument {
        guard isLucky(0.4) else { return [:] }
        switch type {
        case .int, .long, .double: return isLucky(0.5) ? ["minimum": 3, "exclusiveMinimum": true] : ["enum": [1, 2]]
        case .string: return ["pattern": "^a\"\\\\", "maxLength": 12]
        case .mixed: return isLucky(0.5) ? ["bsonType": ["int", "string"]] : ["type": "number", "minimum": 0]
        case .array(.int), .array(.string): return ["minItems": 1, "items": ["enum": [1, "a"]]]
        case .dictionary(.long): return ["maxProperties": 3, "additionalProperties": ["maximum": 7]]
        default: return [:]
        }
    }

    // MARK: - Damage

    /// A document in which one or two values were replaced, removed or moved.
    mutating func damaged(_ document: MongoDocument) -> MongoDocument {
        guard case .document(let changed) = damaged(.document(document)) else { return document }
        return changed
    }

    private mutating func damaged(_ value: BSON) -> BSON {
        switch value {
        case .document(var document) where !document.isEmpty && isLucky(0.9):
            let name = pick(document.keys)
            if isLucky(0.05) {
                document[name] = nil
            } else if isLucky(0.05) {
                document[pick(["type", "bsonType", "items", "required", "title", "sealite", "default", "enum"])] =
                    document[name]
            } else {
                document[name] = document[name].map { damaged($0) }
            }
            return .document(document)
        case .array(var items) where !items.isEmpty && isLucky(0.9):
            let index = Int.random(in: items.indices, using: &generator)
            items[index] = damaged(items[index])
            return .array(items)
        default:
            return pick([
                .null, true, 1, -1.5, "x", "int", "mixed", "_id", ["int", "string"], [:], ["bsonType": "int"],
                ["a", 1],
                ["properties": ["_id": ["bsonType": "int"]]],
            ])
        }
    }

    // MARK: - Values

    private static let texts = ["", "a", "line\nbreak", "é", "\"\\", "\u{202E}x", "\\(1)", "日本"]

    /// A value of a type, in the form in which documents have it.
    ///
    /// - Parameters:
    ///   - type: the type.
    ///   - schema: the embedded types.
    ///   - isMinimal: whether objects have their required members only.
    /// - Returns: the value.
    mutating func value(of type: PropertyType, in schema: Schema, isMinimal: Bool = false) -> BSON {
        switch type {
        case .bool: return .bool(isLucky(0.5))
        case .int: return .int32(pick([0, 1, -7, .max, .min]))
        case .long: return BSON(pick([0, 1, -7, Int64.max, .min, 5_000_000_000]))
        case .double:
            return .double(
                pick([0, -0.0, 1.5, 3, 1e300, -2.25, Double.leastNonzeroMagnitude, .infinity, -.infinity, .nan]))
        case .string: return .string(pick(Self.texts))
        case .data: return .binary(Binary((0..<Int.random(in: 0...3, using: &generator)).map { UInt8($0 &* 100) }))
        case .date: return .datetime(DateTime(milliseconds: pick([0, 1, -1, 951_782_400_123, 253_402_300_799_999])))
        case .decimal128: return .decimal128(Decimal128(pick(["0", "1.50", "-1E+300", "NaN", "Infinity"])) ?? .nan)
        case .objectID:
            return .objectID(ObjectID(pick(["616f44305a205add93ff1081", "65f1c0ffee0123456789abcd"])) ?? ObjectID())
        case .uuid:
            return pick(["73ffd264-44b3-4c69-90e8-e7d1dfc035d4", "00000000-0000-0000-0000-00000000000f"]).uuidValue
        case .mixed: return pick([.null, true, 7, 2.5, "x", [1, ["a": .null]], ["a": [1.5]]])
        case .geoPoint:
            return ["type": "Point", "coordinates": [.double(pick([-180, 12.5])), .double(pick([0, 51.25]))]]
        case .embedded(let name): return schema[name].map { .document(members(of: $0, in: schema, isMinimal)) } ?? .null
        case .link(_, let key): return value(of: key, in: schema)
        case .array(let item): return .array(values(of: item, in: schema))
        case .set(let item):
            var seen: Set<BSONKey> = []
            let items = values(of: item, in: schema).filter { seen.insert(BSONKey($0)).inserted }
            return .array(items.sorted { $0.compared(to: $1) < 0 })
        case .dictionary(let item):
            let names = some(["a", "b", "c d"], 0...3).sorted()
            return .document(MongoDocument(names.map { .init($0, value(of: item, in: schema)) }))
        }
    }

    private mutating func values(of item: PropertyType, in schema: Schema) -> [BSON] {
        (0..<Int.random(in: 0...3, using: &generator)).map { _ in value(of: item, in: schema) }
    }

    /// The members of an object but its primary key: all that a type writes and some of the optional ones, or the required ones.
    mutating func members(of object: ObjectSchema, in schema: Schema, _ isMinimal: Bool) -> MongoDocument {
        var members = MongoDocument()
        for property in object.properties where property.name != object.primaryKey {
            let isAlwaysWritten = property.isRequired || property.type.isCollection || property.type == .mixed
            if isMinimal ? property.isRequired : isAlwaysWritten || isLucky(0.7) {
                members.append(property.name, value(of: property.type, in: schema, isMinimal: isMinimal))
            }
        }
        return members
    }
}

extension String {
    fileprivate var uuidValue: BSON { Binary(uuid: self).map { .binary($0) } ?? .null }
}

extension PropertyType {
    /// A Boolean value that says whether a property of the type can have an index.
    fileprivate var isIndexable: Bool {
        switch self {
        case .bool, .int, .long, .string, .date, .objectID, .uuid, .mixed: true
        default: false
        }
    }
}
