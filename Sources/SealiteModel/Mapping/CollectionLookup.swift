internal import SealiteJSON

/// The result of looking up the collection for the objects of a type in development mode.
public enum CollectionLookup: Sendable, Hashable {
    /// The collection whose schema has the type's title, in any scope.
    case known(scope: String, collection: String)
    /// There is no such collection. A collection with the type's name must be created in the development scope, with
    /// the type's schema.
    case missing(scope: String, collection: String)
    /// The collection with the type's name in the development scope contains the objects of another type, which has
    /// this title.
    case taken(title: String)

    /// A collection and the title of its schema.
    public struct Entry: Sendable, Hashable {
        /// The name of the scope.
        public let scope: String
        /// The name of the collection.
        public let collection: String
        /// The title of the schema; nil if the collection has none.
        public let title: String?

        /// Creates the entry of a collection.
        public init(scope: String, collection: String, title: String?) {
            (self.scope, self.collection, self.title) = (scope, collection, title)
        }
    }

    /// Looks up the collection of a type.
    ///
    /// - Parameters:
    ///   - type: the type's name.
    ///   - developmentScope: the scope in which collections are created.
    ///   - entries: the existing collections.
    public init(type: String, developmentScope: String, among entries: [Entry]) {
        let name = Schema.collectionName(of: type)
        let titled = entries.filter { $0.title == type }
        if let entry = titled.first(where: { $0.scope == developmentScope }) ?? titled.first {
            self = .known(scope: entry.scope, collection: entry.collection)
        } else if let title = entries.first(where: { $0.scope == developmentScope && $0.collection == name })?.title {
            self = .taken(title: title)
        } else {
            self = .missing(scope: developmentScope, collection: name)
        }
    }
}

extension Schema {
    /// The maximum number of bytes of a collection's name.
    private static let maximumCollectionNameLength = 251

    /// Returns the name of a type's collection: the type's name, in which each byte that a collection's name can't
    /// contain becomes `%` and two hexadecimal digits. If the result would be empty or start with `_` or `%`, `-`
    /// precedes it. The name is cut to 251 bytes.
    public static func collectionName(of type: String) -> String {
        var name = PercentCoding.encode(type) { byte in
            switch byte {
            case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x5F, 0x2D: true
            default: false
            }
        }
        if name.isEmpty || name.hasPrefix("_") || name.hasPrefix("%") { name = "-" + name }
        return String(name.prefix(maximumCollectionNameLength))
    }
}
