public import FoundationEssentials
public import SealiteDatabase
internal import SealiteQueryLanguage

/// An expression of the query builder. Its static methods return elementary expressions: properties, parameters, constants
/// and negations. Its other methods return larger expressions; parentheses aren't needed, because each call is one
/// operation.
@safe
// Sendable: its properties are immutable, and its subclass has none.
public class Expression: @unchecked Sendable {
    /// The syntax tree of the expression.
    let tree: Tree.Expression
    /// The number of levels on which operands are nested in each other; the operands of a chain of equal operators are on
    /// one level.
    private let depth: Int

    /// Creates an expression without operands.
    init(_ tree: Tree.Expression) { (self.tree, depth) = (tree, 1) }

    /// Creates an expression from its operands: `make` returns its syntax tree from theirs. If it is nested deeper than a
    /// query's text may be, the expression makes the translation of the query fail.
    init(_ operands: [Expression], _ make: ([Tree.Expression]) -> Tree.Expression) {
        let trees = operands.map(\.tree)
        let made = make(trees)
        var depth = 1
        for (index, operand) in operands.enumerated() {
            let isExtended = index == 0 && made.extends(trees[0])
            depth = max(depth, operand.depth + (isExtended ? 0 : 1))
        }
        if depth <= QueryLimits.nesting {
            (tree, self.depth) = (made, depth)
        } else {
            tree = .literal(.unusable("the query is nested deeper than \(QueryLimits.nesting) levels"))
            self.depth = 1
        }
    }

    /// Returns an expression for a property of the documents, given by its key path, such as `address.city` or
    /// `likes[0]`; a backslash before a dot or a bracket makes it a part of the name. A query with a malformed key path
    /// fails when it is run.
    public static func property(_ property: String) -> PropertyExpression {
        PropertyExpression(KeyPathText.tree(property))
    }

    /// Returns an expression for the whole document: an object of all properties.
    public static func all() -> PropertyExpression { PropertyExpression(.star([], .none)) }

    /// Returns an expression for the parameter with a name, whose value is set in the `parameters` of the query.
    public static func parameter(_ name: String) -> Expression { Expression(.parameter(name, .none)) }

    /// Returns an expression for a constant of any type; NULL for nil.
    public static func value(_ value: Value?) -> Expression { Expression(literal(value ?? .null)) }
    /// Returns an expression for a string constant.
    public static func value(_ value: String) -> Expression { string(value) }
    /// Returns an expression for an integer constant.
    public static func value(_ value: Int) -> Expression { int(value) }
    /// Returns an expression for a floating-point constant, which must be finite; otherwise a query with it fails.
    public static func value(_ value: Double) -> Expression { double(value) }
    /// Returns an expression for a Boolean constant.
    public static func value(_ value: Bool) -> Expression { boolean(value) }
    /// Returns an expression for a date constant in the default stored form, `ValueForm.typed`.
    public static func value(_ value: Date) -> Expression { date(value) }
    /// Returns an expression for a string constant; NULL for nil.
    public static func string(_ value: String?) -> Expression { self.value(value.map { .string($0) }) }
    /// Returns an expression for a number constant; NULL for nil.
    public static func number(_ value: Number?) -> Expression { self.value(value.map { .number($0) }) }
    /// Returns an expression for an integer constant.
    public static func int(_ value: Int) -> Expression { self.value(Value(value)) }
    /// Returns an expression for a 64-bit integer constant.
    public static func int64(_ value: Int64) -> Expression { self.value(Value(value)) }
    /// Returns an expression for a floating-point constant, which must be finite; otherwise a query with it fails.
    public static func float(_ value: Float) -> Expression {
        self.value(.number(Number(json: value.description) ?? Number(Double(value))))
    }
    /// Returns an expression for a floating-point constant, which must be finite; otherwise a query with it fails.
    public static func double(_ value: Double) -> Expression { self.value(Value(value)) }
    /// Returns an expression for a Boolean constant.
    public static func boolean(_ value: Bool) -> Expression { self.value(.boolean(value)) }
    /// Returns an expression for a date constant in the stored form of the dates that it is compared with; NULL for nil.
    public static func date(_ value: Date?, form: ValueForm = .typed) -> Expression {
        self.value(value.map { .date($0, form: form) })
    }
    /// Returns an expression for an object constant; NULL for nil.
    public static func dictionary(_ value: [String: Value]?) -> Expression {
        self.value(
            value.map { .dictionary(DictionaryObject($0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })) })
    }
    /// Returns an expression for an array constant; NULL for nil.
    public static func array(_ value: [Value]?) -> Expression { self.value(value.map { .array(ArrayObject($0)) }) }

    /// Returns the negation of a condition.
    public static func negated(_ expression: Expression) -> Expression { not(expression) }
    /// Returns the negation of a condition.
    public static func not(_ expression: Expression) -> Expression { Expression([expression]) { .not($0[0]) } }

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
            members.entries.map { LiteralMember($0.key, literal($0.value, depth: depth + 1)) })
    }
}

/// An expression for a property of documents or for a key of `META()`, their metadata, optionally for the documents of a
/// named data source.
@safe
// Sendable: it has no property of its own.
public final class PropertyExpression: Expression, @unchecked Sendable {
    /// Returns the expression for the same property in the documents of the data source with an alias.
    public func from(_ alias: String) -> Expression {
        switch tree {
        case .path(let path): Expression(.path(Tree.Path(alias, [.name(path.root)] + path.steps)))
        case .property(.meta, let steps): Expression(.property(.meta([alias], .none), steps))
        case .star: Expression(.star([alias], .none))
        default: self
        }
    }
}

/// Expressions of the query builder for the metadata of documents: the keys of SQL++'s `META()`.
public enum Meta {
    /// The expression for the document's ID.
    public static var id: PropertyExpression { meta(.id) }
    /// The expression for the ID of the document's current revision.
    public static var revisionID: PropertyExpression { meta(.revisionID) }
    /// The expression for the sequence of the document's last change: its number in the order of the collection's
    /// changes.
    public static var sequence: PropertyExpression { meta(.sequence) }
    /// The expression that is true for deleted documents, which a query includes only if it contains this expression.
    public static var isDeleted: PropertyExpression { meta(.deleted) }
    /// The expression for the time at which the document expires, in milliseconds since 1970; MISSING if it doesn't
    /// expire.
    public static var expiration: PropertyExpression { meta(.expiration) }

    private static func meta(_ key: MetaKey) -> PropertyExpression {
        PropertyExpression(.property(.meta([], .none), [.name(key.rawValue)]))
    }
}

extension Tree.Expression {
    /// Returns whether the expression is a chain of operators that continues another one, which isn't nested in it.
    fileprivate func extends(_ first: Tree.Expression) -> Bool {
        switch (self, first) {
        case (.and, .and), (.or, .or): true
        case (.operation(let chain), .operation(let beginning)): chain.level == beginning.level
        default: false
        }
    }
}

/// The error for a value that JSON can't express, or a malformed key path, which a query can't contain, with the
/// reason.
struct UnusableValue: Error {
    let reason: String
}

extension Tree.Expression {
    /// The reason why a query can't contain a part of the expression that was made by the query builder; nil if none is
    /// known.
    var unusableReason: String? {
        do {
            _ = try rewritten { part in
                switch part {
                case .literal(.unusable(let reason)): throw UnusableValue(reason: reason)
                case .path, .star, .meta: return part
                default: return nil
                }
            }
            return nil
        } catch {
            return (error as? UnusableValue)?.reason
        }
    }
}

// Couchbase Lite's names of the types of the query builder's parts.

/// An expression, by Couchbase Lite's name.
public typealias ExpressionProtocol = Expression
/// An expression for a property, by Couchbase Lite's name.
public typealias PropertyExpressionProtocol = PropertyExpression
/// An expression for a key of `META()`, by Couchbase Lite's name.
public typealias MetaExpressionProtocol = PropertyExpression
/// A reference to a full-text index, by Couchbase Lite's name.
public typealias FullTextIndexExpressionProtocol = FullTextIndexExpression
/// A collation, by Couchbase Lite's name.
public typealias CollationProtocol = Collation
/// A result of SELECT, by Couchbase Lite's name.
public typealias SelectResultProtocol = SelectResult
/// A data source, by Couchbase Lite's name.
public typealias DataSourceProtocol = DataSource
/// A join, by Couchbase Lite's name.
public typealias JoinProtocol = Join
/// A join that can be given a condition, by Couchbase Lite's name.
public typealias JoinOnProtocol = JoinOn
/// A term of ORDER BY, by Couchbase Lite's name.
public typealias OrderingProtocol = Ordering
