internal import SealiteValues

/// A difference between two schemas, with its effect on a server that has synced applications and on an application.
public struct SchemaDifference: Sendable, Hashable, CustomStringConvertible {
    /// The name of the object type.
    public let type: String
    /// The name of the property; nil for a difference of the type.
    public let property: String?
    /// A phrase that describes the difference.
    public let reason: String
    /// The effect on a server that applications sync with.
    public let server: SchemaImpact
    /// The effect on an application whose code has the new schema.
    public let client: SchemaImpact

    /// The difference as one line of text.
    public var description: String {
        let name = property.map { "\(type).\($0)" } ?? type
        return "\(name): \(reason) (server: \(server.rawValue), client: \(client.rawValue))"
    }
}

extension Schema {
    /// Returns the differences between two schemas, in the order of the new one. Removed properties follow the other
    /// properties of their type; removed types come last.
    ///
    /// - Parameters:
    ///   - old: the schema before.
    ///   - new: the schema after.
    ///   - renames: the known renames. Without them, a renamed type counts as one that is removed and one that is
    ///     added.
    /// - Returns: the differences.
    public static func compare(
        _ old: Schema, _ new: Schema, renames: SchemaRenames = SchemaRenames()
    ) -> [SchemaDifference] {
        var comparison = SchemaComparison(renames)
        comparison.compare(old, new)
        return comparison.differences
    }
}

extension [SchemaDifference] {
    /// The greatest effect of the differences on a server that applications sync with; `none` if there are no
    /// differences.
    public var server: SchemaImpact { map(\.server).max() ?? .none }
    /// The greatest effect of the differences on an application whose code has the new schema; `none` if there are no
    /// differences.
    public var client: SchemaImpact { map(\.client).max() ?? .none }
}

/// The renames of types and properties in an application's schema.
public struct SchemaRenames: Sendable, Hashable {
    /// The new names of object types, by their old names.
    public var types: [String: String]
    /// For each object type, by its new name, the new names of properties by their old names.
    public var properties: [String: [String: String]]

    /// Creates renames of types and properties.
    public init(types: [String: String] = [:], properties: [String: [String: String]] = [:]) {
        (self.types, self.properties) = (types, properties)
    }
}

/// The effect of a difference between two schemas, from the least to the greatest.
public enum SchemaImpact: String, Sendable, Hashable, CaseIterable, Comparable {
    /// No effect on documents and applications.
    case none
    /// More documents conform than before: documents may have values that they couldn't have before.
    case widening
    /// Applications with the old schema and applications with the new schema can use the database at the same time.
    case nonBreaking
    /// Documents that conformed may no longer conform.
    case narrowing
    /// Applications with the old schema don't work with the new schema.
    case breaking

    /// Returns whether the left effect is less than the right one.
    public static func < (left: SchemaImpact, right: SchemaImpact) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Finds the differences between two schemas and their effects, according to App Services' table of changes.
struct SchemaComparison {
    private(set) var differences: [SchemaDifference] = []
    private let renames: SchemaRenames
    private var type = ""
    private var property: String?

    init(_ renames: SchemaRenames) { self.renames = renames }

    // MARK: - Types

    mutating func compare(_ old: Schema, _ new: Schema) {
        let oldTypes = Dictionary(old.objects.map { ($0.name, $0) }) { first, _ in first }
        let newTypes = Dictionary(new.objects.map { ($0.name, $0) }) { first, _ in first }
        let oldNames = Dictionary(renames.types.map { ($0.value, $0.key) }) { first, _ in first }
        for object in new.objects {
            (type, property) = (object.name, nil)
            if let before = oldTypes[object.name] {
                compare(before, object)
            } else if let name = oldNames[object.name], let before = oldTypes[name] {
                note("the type has been renamed", server: .breaking, client: .breaking)
                compare(before, object)
            } else {
                note("the type has been added", server: .nonBreaking, client: .nonBreaking)
            }
        }
        for object in old.objects where newTypes[object.name] == nil {
            (type, property) = (object.name, nil)
            guard renames.types[object.name].flatMap({ newTypes[$0] }) == nil else { continue }
            note("the type has been removed", server: .breaking, client: .nonBreaking)
        }
    }

    private mutating func compare(_ old: ObjectSchema, _ new: ObjectSchema) {
        if old.isEmbedded != new.isEmbedded {
            let reason = new.isEmbedded ? "the type has become embedded" : "the type is no longer embedded"
            note(reason, server: .breaking, client: .breaking)
        }
        if old.primaryKey != new.primaryKey {
            note("the primary key has changed", server: .breaking, client: .breaking)
        }
        if old.description != new.description { note("the description has changed", server: .none, client: .none) }
        note(ConstraintComparison.impacts(old.constraints, new.constraints))
        let oldProperties = Dictionary(old.properties.map { ($0.name, $0) }) { first, _ in first }
        let newProperties = Dictionary(new.properties.map { ($0.name, $0) }) { first, _ in first }
        var renamed: Set<String> = []
        for after in new.properties {
            property = after.name
            if let before = oldProperties[after.name] {
                compare(before, after)
            } else if let before = earlier(after, oldProperties, newProperties) {
                renamed.insert(before.name)
                compare(before, after)
            } else {
                note("the property has been added", server: .nonBreaking, client: .nonBreaking)
            }
        }
        for before in old.properties where newProperties[before.name] == nil && !renamed.contains(before.name) {
            property = before.name
            note("the property has been removed", server: .breaking, client: .nonBreaking)
        }
    }

    // MARK: - Properties

    /// Returns the old property from which a new property has been renamed; nil if it hasn't been renamed. The rename
    /// breaks an application unless its new schema declares the earlier name.
    private mutating func earlier(
        _ property: Property, _ old: [String: Property], _ new: [String: Property]
    ) -> Property? {
        let told = renames.properties[type]?.first { $0.value == property.name }?.key
        let declared = property.renamedFrom.first { old[$0] != nil && new[$0] == nil }
        guard let name = declared ?? told, let before = old[name], new[name] == nil else { return nil }
        note(
            "the property has been renamed from '\(name)'", server: .breaking,
            client: declared == nil ? .breaking : .nonBreaking)
        return before
    }

    private mutating func compare(_ old: Property, _ new: Property) {
        if old.type != new.type {
            note(Self.reason(old.type, new.type), server: .breaking, client: .breaking)
        } else if new.isRequired != old.isRequired {
            let reason = new.isRequired ? "the property has become required" : "the property has become optional"
            note(reason, server: .breaking, client: .breaking)
        }
        switch (old.defaultValue, new.defaultValue) {
        case (let before, let after) where before == after: break
        case (_, nil):
            // Documents without the member conformed, because it had a default.
            note(
                "the default has been removed", server: new.isRequired ? .narrowing : .nonBreaking, client: .nonBreaking
            )
        case (nil, _): note("a default has been added", server: .nonBreaking, client: .nonBreaking)
        default: note("the default has changed", server: .nonBreaking, client: .nonBreaking)
        }
        if old.hasOtherIndex(than: new) {
            let hasIndex = new.isIndexed || new.vectorIndex != nil
            note(hasIndex ? "an index has been added" : "the index has been removed", server: .none, client: .none)
        }
        if old.description != new.description { note("the description has changed", server: .none, client: .none) }
        note(ConstraintComparison.impacts(old.constraints, new.constraints))
    }

    /// Returns the phrase for a changed type. Integers of two widths, and links with two types of keys, need different
    /// phrases, since the types have the same name.
    private static func reason(_ old: PropertyType, _ new: PropertyType) -> String {
        switch (old, new) {
        case (.int, .long): "integers have 64 bits, not 32"
        case (.long, .int): "integers have 32 bits, not 64"
        case _ where old.name == new.name: "the width of integers, or the type of the link's key, has changed"
        default: "the type is '\(new.name)', not '\(old.name)'"
        }
    }

    // MARK: - Differences

    private mutating func note(_ reason: String, server: SchemaImpact, client: SchemaImpact) {
        differences.append(
            SchemaDifference(type: type, property: property, reason: reason, server: server, client: client))
    }

    private mutating func note(_ impacts: [(keyword: String, impact: SchemaImpact)]) {
        for (keyword, impact) in impacts { note("'\(keyword)' is \(impact.phrase)", server: impact, client: .none) }
    }
}

extension SchemaImpact {
    fileprivate var phrase: String {
        switch self {
        case .narrowing: "narrower"
        case .widening: "wider"
        default: "different"
        }
    }
}

/// Compares the keywords that only validation checks. A change is narrowing if fewer documents conform, widening if
/// more do. If this can't be determined, the change counts as narrowing.
enum ConstraintComparison {
    /// Returns the keywords that differ between two schemas, each with the effect of its change.
    static func impacts(_ old: MongoDocument, _ new: MongoDocument) -> [(keyword: String, impact: SchemaImpact)] {
        guard old != new else { return [] }
        let before = Dictionary(old.map { ($0.key, $0.value) }) { first, _ in first }
        let after = Dictionary(new.map { ($0.key, $0.value) }) { first, _ in first }
        let names = new.keys + old.keys.filter { after[$0] == nil }
        return names.compactMap { name in
            guard before[name] != after[name] else { return nil }
            return impact(name, before[name], after[name]).map { (name, $0) }
        }
    }

    private static func impact(_ keyword: String, _ old: BSON?, _ new: BSON?) -> SchemaImpact? {
        switch (old, new) {
        case (nil, let value?): return isAbout(keyword, value) ? .narrowing : nil
        case (let value?, nil): return isAbout(keyword, value) ? .widening : nil
        case (let old?, let new?):
            guard !old.isSame(as: new) else { return nil }
            let isWider = wider[keyword].map { $0(old, new) } ?? false
            return isWider ? .widening : .narrowing
        default: return nil
        }
    }

    /// Returns whether a keyword with a value restricts documents; some values mean the same as the absence of the
    /// keyword.
    private static func isAbout(_ keyword: String, _ value: BSON) -> Bool {
        switch keyword {
        case "exclusiveMinimum", "exclusiveMaximum", "uniqueItems": value != false
        case "additionalProperties", "additionalItems": value != true
        default: true
        }
    }

    // MARK: - Keywords

    /// A function that returns whether the second value of a keyword, which replaces the first, accepts everything that
    /// the first accepts.
    private typealias Comparison = @Sendable (BSON, BSON) -> Bool

    private static let wider: [String: Comparison] = [
        "minimum": isLess, "minLength": isLess, "minItems": isLess, "minProperties": isLess,
        "maximum": isGreater, "maxLength": isGreater, "maxItems": isGreater, "maxProperties": isGreater,
        "exclusiveMinimum": isFalse, "exclusiveMaximum": isFalse, "uniqueItems": isFalse,
        "additionalProperties": isWiderSchema, "additionalItems": isWiderSchema, "items": isWiderSchema,
        "enum": hasMore, "type": hasMore, "bsonType": hasMore, "required": hasFewer, "multipleOf": isDivisor,
    ]

    private static let isLess: Comparison = { $1.compared(to: $0) < 0 }
    private static let isGreater: Comparison = { $1.compared(to: $0) > 0 }
    private static let isFalse: Comparison = { $1 == false }
    private static let hasMore: Comparison = { Set(items($1)).isSuperset(of: items($0)) }
    private static let hasFewer: Comparison = { Set(items($1)).isSubset(of: items($0)) }

    private static let isDivisor: Comparison = { old, new in
        guard let old = decimal(old), let new = decimal(new), !new.isZero else { return false }
        return old.remainder(dividingBy: new).isZero
    }

    private static let isWiderSchema: Comparison = { old, new in
        switch (old, new) {
        case (.bool(false), _), (_, .bool(true)): true
        case (.document(let old), .document(let new)): !impacts(old, new).contains { $0.impact != .widening }
        default: false
        }
    }

    private static func items(_ value: BSON) -> [BSONKey] {
        if case .array(let items) = value { items.map { BSONKey($0) } } else { [BSONKey(value)] }
    }

    private static func decimal(_ value: BSON) -> Decimal128? {
        switch value {
        case .int32(let number): Decimal128(number)
        case .int64(let number): Decimal128(number)
        case .double(let number): Decimal128(shortest: number)
        case .decimal128(let number): number
        default: nil
        }
    }
}
