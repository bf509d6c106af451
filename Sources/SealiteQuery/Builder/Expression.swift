public import FoundationEssentials
public import SealiteDatabase
internal import SealiteQueryLanguage

/// An expression of the query builder. Its methods make greater expressions; parentheses aren't needed, since each call is one operation.
public protocol ExpressionProtocol: Sendable {}

/// An expression for a property, which may be that of a named data source.
public protocol PropertyExpressionProtocol: ExpressionProtocol {
    /// Returns the property of the data source of an alias.
    func from(_ alias: String) -> any ExpressionProtocol
}

/// An expression for a key of META, which may be that of a named data source.
public protocol MetaExpressionProtocol: ExpressionProtocol {
    /// Returns the key of the data source of an alias.
    func from(_ alias: String) -> any ExpressionProtocol
}

/// An expression that the builder has made, with the tree that it stands for.
struct BuiltExpression: PropertyExpressionProtocol, MetaExpressionProtocol {
    let tree: Tree.Expression

    init(_ tree: Tree.Expression) { self.tree = tree }

    func from(_ alias: String) -> any ExpressionProtocol {
        switch tree {
        case .path(let path): BuiltExpression(.path(Tree.Path(alias, [.name(path.root)] + path.steps)))
        case .property(.meta, let steps): BuiltExpression(.property(.meta([alias], .none), steps))
        case .star: BuiltExpression(.star([alias], .none))
        default: self
        }
    }
}

extension ExpressionProtocol {
    /// The tree of the expression.
    var tree: Tree.Expression { (self as? BuiltExpression)?.tree ?? .literal(.missing) }
}

/// The expressions that others are made of.
public enum Expression {
    /// A property by its key path, such as `address.city` or `likes[0]`; a backslash before a dot makes it part of a name.
    public static func property(_ property: String) -> any PropertyExpressionProtocol {
        BuiltExpression(KeyPath.tree(property))
    }

    /// The whole document.
    public static func all() -> any PropertyExpressionProtocol { BuiltExpression(.star([], .none)) }

    /// A parameter, whose value the query's `parameters` have.
    public static func parameter(_ name: String) -> any ExpressionProtocol { BuiltExpression(.parameter(name, .none)) }

    /// A value; nil is NULL.
    public static func value(_ value: Value?) -> any ExpressionProtocol { BuiltExpression(literal(value ?? .null)) }
    /// A string.
    public static func value(_ value: String) -> any ExpressionProtocol { string(value) }
    /// An integer.
    public static func value(_ value: Int) -> any ExpressionProtocol { int(value) }
    /// A number.
    public static func value(_ value: Double) -> any ExpressionProtocol { double(value) }
    /// True or false.
    public static func value(_ value: Bool) -> any ExpressionProtocol { boolean(value) }
    /// A date.
    public static func value(_ value: Date) -> any ExpressionProtocol { date(value) }
    /// A string, or NULL.
    public static func string(_ value: String?) -> any ExpressionProtocol { self.value(value.map { .string($0) }) }
    /// A number, or NULL.
    public static func number(_ value: Number?) -> any ExpressionProtocol { self.value(value.map { .number($0) }) }
    /// An integer.
    public static func int(_ value: Int) -> any ExpressionProtocol { self.value(Value(value)) }
    /// A 64-bit integer.
    public static func int64(_ value: Int64) -> any ExpressionProtocol { self.value(Value(value)) }
    /// A number.
    public static func float(_ value: Float) -> any ExpressionProtocol {
        self.value(.number(Number(json: value.description) ?? Number(Double(value))))
    }
    /// A number.
    public static func double(_ value: Double) -> any ExpressionProtocol { self.value(Value(value)) }
    /// True or false.
    public static func boolean(_ value: Bool) -> any ExpressionProtocol { self.value(.boolean(value)) }
    /// A date as ISO 8601 text in milliseconds, or NULL.
    public static func date(_ value: Date?) -> any ExpressionProtocol { self.value(value.map { .date($0) }) }
    /// An object, or NULL.
    public static func dictionary(_ value: [String: Value]?) -> any ExpressionProtocol {
        self.value(
            value.map { .dictionary(DictionaryObject($0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })) })
    }
    /// An array, or NULL.
    public static func array(_ value: [Value]?) -> any ExpressionProtocol {
        self.value(value.map { .array(ArrayObject($0)) })
    }

    /// The negation of a condition.
    public static func negated(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { not(expression) }
    /// The negation of a condition.
    public static func not(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression(.not(expression.tree))
    }

    /// The literal of a value; one that is an error where it can't be in a query.
    package static func literal(_ value: Value, depth: Int = 0) -> Tree.Expression {
        guard depth <= QueryLimits.nesting else {
            return .literal(.unusable("a value has more than \(QueryLimits.nesting) levels"))
        }
        switch value {
        case .null: return .literal(.null)
        case .boolean(let flag): return .literal(.boolean(flag))
        case .number(let number):
            let text = number.description
            guard Number(json: text) != nil else {
                return .literal(.unusable("a number that isn't finite has no JSON"))
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

/// The keys of META.
public enum Meta {
    /// The document's id.
    public static var id: any MetaExpressionProtocol { meta(.id) }
    /// The revision's id.
    public static var revisionID: any MetaExpressionProtocol { meta(.revisionID) }
    /// The sequence of the document's last change.
    public static var sequence: any MetaExpressionProtocol { meta(.sequence) }
    /// True for deleted documents, which take part in queries that mention this key only.
    public static var isDeleted: any MetaExpressionProtocol { meta(.deleted) }
    /// The time at which the document purges itself, in milliseconds since 1970; MISSING where there is none.
    public static var expiration: any MetaExpressionProtocol { meta(.expiration) }

    private static func meta(_ key: MetaKey) -> any MetaExpressionProtocol {
        BuiltExpression(.property(.meta([], .none), [.name(key.rawValue)]))
    }
}
