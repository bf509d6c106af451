/// The definition of an index that is given as texts in SQL++.
public protocol IndexConfiguration: Sendable {}

/// An index over the values of expressions, and perhaps over some documents only.
///
/// ```swift
/// try people.createIndex(withName: "city", config: ValueIndexConfiguration(["address.city", "age"]))
/// ```
public struct ValueIndexConfiguration: IndexConfiguration, Equatable {
    /// The expressions over a document, in SQL++; each may end with COLLATE. At least one and at most 32.
    public var expressions: [String]
    /// The condition in SQL++ that documents of the index fulfil; nil where all are in it.
    public var `where`: String?

    /// A definition.
    public init(_ expressions: [String], where condition: String? = nil) {
        self.expressions = expressions
        self.where = condition
    }
}

/// An index over the elements of an array, for UNNEST, ANY, IN and ARRAY\_CONTAINS. A value in the array's place that is none counts as one element, as it does for
/// UNNEST.
///
/// ```swift
/// try people.createIndex(withName: "likes", config: ArrayIndexConfiguration(path: "likes"))
/// try people.createIndex(withName: "phones", config: ArrayIndexConfiguration(path: "contacts[].phones", expressions: ["type"]))
/// ```
public struct ArrayIndexConfiguration: IndexConfiguration, Equatable {
    /// The path to the array; `[].` stands before the path from each element to an array in it. Steps are names and indexes from 0.
    public var path: String
    /// The expressions over an element, in SQL++, whose names are the element's properties; each may end with COLLATE. Nil for the element itself, else at least one and
    /// at most 32.
    public var expressions: [String]?

    /// A definition.
    public init(path: String, expressions: [String]? = nil) {
        self.path = path
        self.expressions = expressions
    }
}

/// An index that the builder has made.
public protocol Index: Sendable {}

/// Makes indexes of properties and expressions of the query builder.
public enum IndexBuilder {
    /// Makes an index over the values of the items, in their order.
    public static func valueIndex(items: ValueIndexItem...) -> any Index { valueIndex(items: items) }

    /// Makes an index over the values of the items, in their order.
    public static func valueIndex(items: [ValueIndexItem]) -> any Index {
        BuiltIndex(config: ValueIndexConfiguration(items.map(\.text)))
    }
}

/// A property or an expression of an index.
public struct ValueIndexItem: Sendable {
    let text: String

    /// A property by its key path, such as `address.city`.
    public static func property(_ property: String) -> ValueIndexItem { ValueIndexItem(text: KeyPath.text(property)) }

    /// Returns an expression of the query builder.
    public static func expression(_ expression: any ExpressionProtocol) -> ValueIndexItem {
        ValueIndexItem(text: "\(expression.tree)")
    }
}

struct BuiltIndex: Index {
    let config: ValueIndexConfiguration
}
