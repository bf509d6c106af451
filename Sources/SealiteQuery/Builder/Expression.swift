public import FoundationEssentials
public import SealiteDatabase
internal import SealiteQueryLanguage

/// Factory methods of the query builder for elementary expressions: properties, parameters, constants and negations.
public enum Expression {
    /// Returns an expression for a property of the documents, given by its key path, such as `address.city` or
    /// `likes[0]`; a backslash before a dot or a bracket makes it a part of the name. A query with a malformed key path
    /// fails when it is run.
    public static func property(_ property: String) -> any PropertyExpressionProtocol {
        BuiltExpression(KeyPath.tree(property))
    }

    /// Returns an expression for the whole document: an object of all properties.
    public static func all() -> any PropertyExpressionProtocol { BuiltExpression(.star([], .none)) }

    /// Returns an expression for the parameter with a name, whose value is set in the `parameters` of the query.
    public static func parameter(_ name: String) -> any ExpressionProtocol { BuiltExpression(.parameter(name, .none)) }

    /// Returns an expression for a constant of any type; NULL for nil.
    public static func value(_ value: Value?) -> any ExpressionProtocol { BuiltExpression(literal(value ?? .null)) }
    /// Returns an expression for a string constant.
    public static func value(_ value: String) -> any ExpressionProtocol { string(value) }
    /// Returns an expression for an integer constant.
    public static func value(_ value: Int) -> any ExpressionProtocol { int(value) }
    /// Returns an expression for a floating-point constant, which must be finite; otherwise a query with it fails.
    public static func value(_ value: Double) -> any ExpressionProtocol { double(value) }
    /// Returns an expression for a Boolean constant.
    public static func value(_ value: Bool) -> any ExpressionProtocol { boolean(value) }
    /// Returns an expression for a date constant in the default stored form, `ValueForm.typed`.
    public static func value(_ value: Date) -> any ExpressionProtocol { date(value) }
    /// Returns an expression for a string constant; NULL for nil.
    public static func string(_ value: String?) -> any ExpressionProtocol { self.value(value.map { .string($0) }) }
    /// Returns an expression for a number constant; NULL for nil.
    public static func number(_ value: Number?) -> any ExpressionProtocol { self.value(value.map { .number($0) }) }
    /// Returns an expression for an integer constant.
    public static func int(_ value: Int) -> any ExpressionProtocol { self.value(Value(value)) }
    /// Returns an expression for a 64-bit integer constant.
    public static func int64(_ value: Int64) -> any ExpressionProtocol { self.value(Value(value)) }
    /// Returns an expression for a floating-point constant, which must be finite; otherwise a query with it fails.
    public static func float(_ value: Float) -> any ExpressionProtocol {
        self.value(.number(Number(json: value.description) ?? Number(Double(value))))
    }
    /// Returns an expression for a floating-point constant, which must be finite; otherwise a query with it fails.
    public static func double(_ value: Double) -> any ExpressionProtocol { self.value(Value(value)) }
    /// Returns an expression for a Boolean constant.
    public static func boolean(_ value: Bool) -> any ExpressionProtocol { self.value(.boolean(value)) }
    /// Returns an expression for a date constant in the stored form of the dates that it is compared with; NULL for nil.
    public static func date(_ value: Date?, form: ValueForm = .typed) -> any ExpressionProtocol {
        self.value(value.map { .date($0, form: form) })
    }
    /// Returns an expression for an object constant; NULL for nil.
    public static func dictionary(_ value: [String: Value]?) -> any ExpressionProtocol {
        self.value(
            value.map { .dictionary(DictionaryObject($0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })) })
    }
    /// Returns an expression for an array constant; NULL for nil.
    public static func array(_ value: [Value]?) -> any ExpressionProtocol {
        self.value(value.map { .array(ArrayObject($0)) })
    }

    /// Returns the negation of a condition.
    public static func negated(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { not(expression) }
    /// Returns the negation of a condition.
    public static func not(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression([expression]) { .not($0[0]) }
    }

    /// Returns the literal of a value in the syntax tree, for a value that is nested in `depth` arrays and objects. If
    /// a query can't contain the value, the literal makes the translation of the query fail.
    package static func literal(_ value: Value, depth: Int = 0) -> Tree.Expression {
        guard depth <= QueryLimits.nesting else {
            return .literal(
                .unusable("a value in the query is nested in more than \(QueryLimits.nesting) arrays and objects"))
        }
        switch value {
        case .null: return .literal(.null)
        case .boolean(let flag): return .literal(.boolean(flag))
        case .number(let number):
            let text = number.description
            guard Number(json: text) != nil else {
                return .literal(.unusable("a number in the query is infinite or NaN, which JSON can't express"))
            }
            return .literal(.number(text))
        case .string(let text): return .literal(.string(text))
        case .array(let items): return .array(items.map { literal($0, depth: depth + 1) })
        case .dictionary(let members): return object(members, depth: depth)
        case .blob(let blob): return object(blob.properties, depth: depth)
        }
    }

    private static func object(_ members: DictionaryObject, depth: Int) -> Tree.Expression {
        .object(
            members.entries.map { SealiteQueryLanguage.ObjectMember($0.key, literal($0.value, depth: depth + 1)) })
    }
}

/// An expression of the query builder. Its methods return larger expressions. Parentheses aren't needed, because each
/// call is one operation.
public protocol ExpressionProtocol: Sendable {}

extension ExpressionProtocol {
    /// The syntax tree of the expression.
    var tree: Tree.Expression {
        (self as? BuiltExpression)?.tree ?? .foreign("an expression", "the types of the query builder")
    }

    /// The number of levels on which operands are nested in each other.
    var depth: Int { (self as? BuiltExpression)?.depth ?? 1 }
}

/// An expression for a property of documents, optionally those of a named data source.
public protocol PropertyExpressionProtocol: ExpressionProtocol {
    /// Returns the expression for the same property in the documents of the data source with an alias.
    func from(_ alias: String) -> any ExpressionProtocol
}

/// Expressions of the query builder for the metadata of documents: the keys of SQL++'s `META()`.
public enum Meta {
    /// The expression for the document's ID.
    public static var id: any MetaExpressionProtocol { meta(.id) }
    /// The expression for the ID of the document's current revision.
    public static var revisionID: any MetaExpressionProtocol { meta(.revisionID) }
    /// The expression for the sequence of the document's last change: its number in the order of the collection's
    /// changes.
    public static var sequence: any MetaExpressionProtocol { meta(.sequence) }
    /// The expression that is true for deleted documents, which a query includes only if it contains this expression.
    public static var isDeleted: any MetaExpressionProtocol { meta(.deleted) }
    /// The expression for the time at which the document expires, in milliseconds since 1970; MISSING if it doesn't
    /// expire.
    public static var expiration: any MetaExpressionProtocol { meta(.expiration) }

    private static func meta(_ key: MetaKey) -> any MetaExpressionProtocol {
        BuiltExpression(.property(.meta([], .none), [.name(key.rawValue)]))
    }
}

/// An expression for a key of `META()`, a document's metadata, optionally for the documents of a named data source.
public protocol MetaExpressionProtocol: ExpressionProtocol {
    /// Returns the same key of `META()` for the documents of the data source with an alias.
    func from(_ alias: String) -> any ExpressionProtocol
}
