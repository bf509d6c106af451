internal import Foundation
internal import SealiteDatabase
internal import SealiteValues

/// The schema type of a value, with the plan for reading and writing it.
struct Shape {
    let type: PropertyType
    let plan: ValuePlan
    var isOptional = false
    /// The schema type of the value as an item of an array or set, or as a value of a dictionary. Items that may be
    /// null are `mixed`, because a schema has no optional item types.
    var itemType: PropertyType { isOptional ? .mixed : type }

    init(_ type: PropertyType, _ plan: ValuePlan = .plain) { (self.type, self.plan) = (type, plan) }

    /// Creates the shape for a schema type that a `ModelDeclaration` states for a member, whose values encode and
    /// decode themselves.
    init(declared type: PropertyType) { (self.type, plan) = (type, Self.plan(of: type)) }

    private static func plan(of type: PropertyType) -> ValuePlan {
        switch type {
        case .array(let items): .array(plan(of: items))
        case .set(let items): .set(plan(of: items))
        case .dictionary(let items): .dictionary(plan(of: items))
        case .mixed: .mixed
        case .link: .link
        default: .plain
        }
    }

    /// Returns the shape of a type that has a stored form of its own; nil for all others.
    static func scalar(_ type: Any.Type) -> Shape? {
        if let found = scalars[ObjectIdentifier(type)] { return Shape(found) }
        if mixed.contains(ObjectIdentifier(type)) || type is any BSONConvertible.Type { return Shape(.mixed, .mixed) }
        return (type as? any ModelKey.Type).map { Shape($0.propertyType) }
    }

    private static let scalars: [ObjectIdentifier: PropertyType] = [
        ObjectIdentifier(Bool.self): .bool,
        ObjectIdentifier(Int8.self): .int, ObjectIdentifier(Int16.self): .int, ObjectIdentifier(Int32.self): .int,
        ObjectIdentifier(UInt8.self): .int, ObjectIdentifier(UInt16.self): .int,
        ObjectIdentifier(Int.self): .long, ObjectIdentifier(Int64.self): .long, ObjectIdentifier(UInt.self): .long,
        ObjectIdentifier(UInt32.self): .long, ObjectIdentifier(UInt64.self): .long,
        ObjectIdentifier(Double.self): .double, ObjectIdentifier(Float.self): .double,
        ObjectIdentifier(Decimal.self): .double,
        ObjectIdentifier(String.self): .string, ObjectIdentifier(URL.self): .string,
        ObjectIdentifier(Date.self): .date, ObjectIdentifier(DateTime.self): .date,
        ObjectIdentifier(Decimal128.self): .decimal128, ObjectIdentifier(ObjectID.self): .objectID,
        ObjectIdentifier(UUID.self): .uuid,
        ObjectIdentifier(Data.self): .data, ObjectIdentifier([UInt8].self): .data, ObjectIdentifier(Binary.self): .data,
        ObjectIdentifier(GeoPoint.self): .geoPoint,
    ]

    private static let mixed: Set<ObjectIdentifier> = [
        ObjectIdentifier(Value.self), ObjectIdentifier(DictionaryObject.self), ObjectIdentifier(ArrayObject.self),
        ObjectIdentifier(Blob.self),
    ]
}

extension Array: DerivedArray where Element: Decodable {
    static var item: any Decodable.Type { Element.self }
}

extension Set: DerivedSet where Element: Decodable {
    static var item: any Decodable.Type { Element.self }
}

extension Dictionary: DerivedDictionary where Key: Decodable, Value: Decodable {
    static var item: any Decodable.Type { Value.self }
    static var hasNames: Bool { Key.self == String.self || Key.self is any CodingKeyRepresentable.Type }
}

extension Optional: DerivedOptional where Wrapped: Decodable {
    static var wrapped: any Decodable.Type { Wrapped.self }
    static var absent: Wrapped? { nil }
}

extension Reference: DerivedReference {
    static var target: any Model.Type { Target.self }
    static func sample(_ deriver: SchemaDeriver) throws -> Reference {
        Reference(id: try deriver.sample(of: Target.ID.self, from: nil))
    }
}

/// An optional type, as seen when a schema is derived from a Swift type.
protocol DerivedOptional {
    static var wrapped: any Decodable.Type { get }
    static var absent: Self { get }
}

// MARK: - Composite types

/// An array type, as seen when a schema is derived from a Swift type.
protocol DerivedArray {
    static var item: any Decodable.Type { get }
    init()
}

/// A set type, as seen when a schema is derived from a Swift type.
protocol DerivedSet {
    static var item: any Decodable.Type { get }
    init()
}

/// A dictionary type, as seen when a schema is derived from a Swift type.
protocol DerivedDictionary {
    static var item: any Decodable.Type { get }
    /// A Boolean value that says whether dictionaries of the type are encoded as objects with the keys as members'
    /// names, instead of as arrays.
    static var hasNames: Bool { get }
    init()
}

/// A link type, as seen when a schema is derived from a Swift type.
protocol DerivedReference {
    static var target: any Model.Type { get }
    static func sample(_ deriver: SchemaDeriver) throws -> Self
}
