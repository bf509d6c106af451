public import SealiteValues

/// A Swift type whose values are stored as documents (Documentation/Models.md §1).
///
/// ```swift
/// import SealiteModel
/// import SealiteValues
///
/// struct Dog: Model {
///     var id = ObjectID()
///     var name: String
///     var age: Int?
/// }
/// ```
public protocol Model: Codable, Identifiable, Sendable where ID: ModelKey {
    /// The part of the schema that can't be derived from the type; by default nothing.
    static var declaration: ModelDeclaration { get }
}

extension Model {
    /// An empty declaration: the Swift name, without defaults, indexes and earlier names.
    public static var declaration: ModelDeclaration { ModelDeclaration() }
}

/// A type of embedded objects of models that declares the part of its schema that can't be derived from the Swift type.
/// Embedded types without such a part are `Codable` structs that need no conformance.
public protocol EmbeddedModel: Codable, Sendable {
    /// The part of the schema that can't be derived from the type.
    static var declaration: ModelDeclaration { get }
}

/// A model whose members all have initial values, which are the defaults of absent members.
public protocol DefaultedModel: Model {
    /// Creates a value with the initial values of all members.
    init()
}

/// The part of a model's schema that can't be derived from its type.
///
/// ```swift
/// static let declaration = ModelDeclaration(
///     name: "Person", collection: "people",
///     .property("fullName", default: "", isIndexed: true, renamedFrom: "name"))
/// ```
public struct ModelDeclaration: Sendable {
    /// The declaration of one property.
    public struct Member: Sendable {
        let name: String
        let type: PropertyType?
        let defaultValue: BSON?
        let isIndexed: Bool
        let vectorIndex: PropertyVectorIndex?
        let renamedFrom: [String]
        let description: String?

        /// Returns the declaration of a property, by its name in the document.
        ///
        /// - Parameters:
        ///   - name: the name of the member.
        ///   - type: the type, if it can't be derived.
        ///   - defaultValue: the value of an absent member.
        ///   - isIndexed: true to create an index on the property.
        ///   - vectorIndex: the definition of a vector index on the property, a list of numbers; nil for none.
        ///   - renamedFrom: earlier names, the latest first.
        ///   - description: a description for readers and generated code.
        /// - Returns: the declaration.
        public static func property(
            _ name: String, type: PropertyType? = nil, default defaultValue: BSON? = nil, isIndexed: Bool = false,
            vectorIndex: PropertyVectorIndex? = nil, renamedFrom: String..., description: String? = nil
        ) -> Member {
            Member(
                name: name, type: type, defaultValue: defaultValue, isIndexed: isIndexed, vectorIndex: vectorIndex,
                renamedFrom: renamedFrom, description: description)
        }
    }

    /// The type's name in schemas; nil for the Swift name.
    public let name: String?
    /// The name of the collection of the type's objects; nil for a collection with the type's name.
    public let collection: String?
    /// The name of the member that is the document's ID; nil if it is `_id` or `id`.
    public let primaryKey: String?
    /// A description of the type for readers and generated code.
    public let description: String?
    /// The key paths whose members can't be found automatically, each by the dotted path of its member in documents:
    /// `["home.kind": \Person.home.kind]`.
    public let keyPaths: [String: any AnyKeyPath & Sendable]
    let members: [Member]

    /// Creates a declaration.
    public init(
        name: String? = nil, collection: String? = nil, primaryKey: String? = nil, description: String? = nil,
        keyPaths: [String: any AnyKeyPath & Sendable] = [:], _ members: Member...
    ) {
        (self.name, self.collection, self.primaryKey) = (name, collection, primaryKey)
        (self.description, self.keyPaths, self.members) = (description, keyPaths, members)
    }
}
