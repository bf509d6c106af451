public import Foundation
internal import SealiteQuery
internal import SealiteQueryLanguage
public import SealiteValues

/// A condition on objects of a type, made from key paths (Documentation/Models.md §8).
///
/// ```swift
/// let people = store.objects(Person.self).where(\.age > 21 && .like(\.name, "A%") && \.owner == nil)
/// ```
/// If the member of a key path can't be found, the error is thrown when a query with the condition is run.
public struct Condition<Root: Codable>: Sendable {
    /// The condition, or the reason for which it is invalid.
    let tree: Swift.Result<Tree.Expression, any Error>
    /// A Boolean value that says whether the condition is true or false for each object, never MISSING or NULL.
    let isTwoValued: Bool

    init(_ tree: Swift.Result<Tree.Expression, any Error>, isTwoValued: Bool) {
        (self.tree, self.isTwoValued) = (tree, isTwoValued)
    }

    /// Creates the condition that `make` returns for the member of a key path. `isTwoValued` says whether the condition
    /// is true or false for each object, never MISSING or NULL; nil means that this depends on whether the member may
    /// be nil.
    init(_ keyPath: PartialKeyPath<Root>, isTwoValued: Bool? = nil, _ make: (MemberPath) throws -> Tree.Expression) {
        do {
            let member = try MemberPath.of(keyPath)
            self.init(.success(try make(member)), isTwoValued: isTwoValued ?? !member.mayBeNil)
        } catch {
            self.init(.failure(error), isTwoValued: true)
        }
    }

    /// The condition as SQL++ text; for an invalid condition, the text of its error.
    var text: String {
        switch tree {
        case .success(let tree): "\(tree)"
        case .failure(let error): "\(error)"
        }
    }
}

extension Condition {
    /// Returns the conjunction of two conditions.
    public static func && (left: Condition, right: Condition) -> Condition { both(left, right) { .and($0, $1) } }

    /// Returns the disjunction of two conditions.
    public static func || (left: Condition, right: Condition) -> Condition { both(left, right) { .or($0, $1) } }

    private static func both(
        _ left: Condition, _ right: Condition, _ make: (Tree.Expression, Tree.Expression) -> Tree.Expression
    ) -> Condition {
        let tree = left.tree.flatMap { first in right.tree.map { make(first, $0) } }
        return Condition(tree, isTwoValued: left.isTwoValued && right.isTwoValued)
    }

    /// Returns the negation of a condition. An object for which the condition isn't true because a member is nil
    /// fulfils the negation.
    public static prefix func ! (condition: Condition) -> Condition {
        Condition(
            condition.tree.map { tree in
                switch tree {
                case .isValued(let member, let isNegated): .isValued(member, isNegated: !isNegated)
                case _ where condition.isTwoValued: .not(tree)
                default: .operation(tree, .isNot, .literal(.boolean(true)))
                }
            }, isTwoValued: true)
    }
}

/// A type of list or set members of a model, optional or not, for use in conditions.
public protocol ListMember<Element> {
    /// The type of the elements of the list or set.
    associatedtype Element
}

/// A type of text members of a model, `String` or `String?`, for use in conditions.
public protocol TextMember {}

// Operators between a key path and a value. There are few, each with types that one side determines, so that the
// compiler checks long conditions quickly.

// MARK: - Equality

/// Returns the condition that a member equals a value. The value nil equals an absent member, and null in a mixed
/// member.
public func == <Root: Codable, V: Encodable & Equatable>(member: KeyPath<Root, V>, value: V) -> Condition<Root> {
    equality(member, value, isNegated: false)
}

/// Returns the condition that a member doesn't equal a value. A member that is nil differs from every value except nil.
public func != <Root: Codable, V: Encodable & Equatable>(member: KeyPath<Root, V>, value: V) -> Condition<Root> {
    equality(member, value, isNegated: true)
}

/// Returns the condition that a member is nil.
public func == <Root: Codable, V>(member: KeyPath<Root, V?>, value: _OptionalNilComparisonType) -> Condition<Root> {
    Condition<Root>(member, isTwoValued: true) { $0.isNil }
}

/// Returns the condition that a member isn't nil.
public func != <Root: Codable, V>(member: KeyPath<Root, V?>, value: _OptionalNilComparisonType) -> Condition<Root> {
    !(member == value)
}

private func equality<Root: Codable, V: Encodable>(
    _ keyPath: KeyPath<Root, V>, _ value: V, isNegated: Bool
) -> Condition<Root> {
    let mayBeNil = (try? MemberPath.of(keyPath).mayBeNil) ?? false
    return Condition(keyPath, isTwoValued: isNegated || !mayBeNil) { member in
        if try member.isNil(value) {
            return isNegated ? .isValued(member.expression, isNegated: false) : member.isNil
        }
        let values = try member.literals(of: value)
        guard values.count == 1, let value = values.first else {
            return .membership(Membership(member.expression, .list(values), isNegated: isNegated))
        }
        let op: BinaryOperator = isNegated ? (member.mayBeNil ? .isNot : .notEqual) : .equal
        return .operation(member.expression, op, value)
    }
}

// MARK: - Links

/// Returns the condition that a link refers to a given object.
public func == <Root: Codable, T: Model>(member: KeyPath<Root, Reference<T>>, target: T) -> Condition<Root> {
    member == Reference(target)
}

/// Returns the condition that an optional link refers to a given object.
public func == <Root: Codable, T: Model>(member: KeyPath<Root, Reference<T>?>, target: T) -> Condition<Root> {
    member == Reference(target)
}

/// Returns the condition that a link refers to another object than the given one.
public func != <Root: Codable, T: Model>(member: KeyPath<Root, Reference<T>>, target: T) -> Condition<Root> {
    member != Reference(target)
}

/// Returns the condition that an optional link is nil or refers to another object than the given one.
public func != <Root: Codable, T: Model>(member: KeyPath<Root, Reference<T>?>, target: T) -> Condition<Root> {
    member != Reference(target)
}

// MARK: - Order

/// Returns the condition that a member is less than a value.
public func < <Root: Codable, V: OrderedValue>(member: KeyPath<Root, V>, value: V) -> Condition<Root> {
    comparison(member, .less, value)
}

/// Returns the condition that an optional member is less than a value; false for a member that is nil.
public func < <Root: Codable, V: OrderedValue>(member: KeyPath<Root, V?>, value: V) -> Condition<Root> {
    comparison(member, .less, value)
}

/// Returns the condition that a member is at most a value.
public func <= <Root: Codable, V: OrderedValue>(member: KeyPath<Root, V>, value: V) -> Condition<Root> {
    comparison(member, .lessOrEqual, value)
}

/// Returns the condition that an optional member is at most a value; false for a member that is nil.
public func <= <Root: Codable, V: OrderedValue>(member: KeyPath<Root, V?>, value: V) -> Condition<Root> {
    comparison(member, .lessOrEqual, value)
}

/// Returns the condition that a member is greater than a value.
public func > <Root: Codable, V: OrderedValue>(member: KeyPath<Root, V>, value: V) -> Condition<Root> {
    comparison(member, .greater, value)
}

/// Returns the condition that an optional member is greater than a value; false for a member that is nil.
public func > <Root: Codable, V: OrderedValue>(member: KeyPath<Root, V?>, value: V) -> Condition<Root> {
    comparison(member, .greater, value)
}

/// Returns the condition that a member is at least a value.
public func >= <Root: Codable, V: OrderedValue>(member: KeyPath<Root, V>, value: V) -> Condition<Root> {
    comparison(member, .greaterOrEqual, value)
}

/// Returns the condition that an optional member is at least a value; false for a member that is nil.
public func >= <Root: Codable, V: OrderedValue>(member: KeyPath<Root, V?>, value: V) -> Condition<Root> {
    comparison(member, .greaterOrEqual, value)
}

private func comparison<Root: Codable, V: OrderedValue>(
    _ keyPath: PartialKeyPath<Root>, _ op: BinaryOperator, _ value: V
) -> Condition<Root> {
    Condition(keyPath) { .operation($0.ordered, op, try $0.orderedLiteral(of: value)) }
}

/// A type whose values queries can compare with `<`: stored values sort in the same order as the Swift values.
///
/// An enum may conform if its raw values sort in the order of its cases.
public protocol OrderedValue: Codable {}

extension Int: OrderedValue {}
extension Int8: OrderedValue {}
extension Int16: OrderedValue {}
extension Int32: OrderedValue {}
extension Int64: OrderedValue {}
extension UInt: OrderedValue {}
extension UInt8: OrderedValue {}
extension UInt16: OrderedValue {}
extension UInt32: OrderedValue {}
extension UInt64: OrderedValue {}
extension Double: OrderedValue {}
extension Float: OrderedValue {}
// Strings are compared by their bytes in UTF-8.
extension String: OrderedValue {}
extension Date: OrderedValue {}
extension DateTime: OrderedValue {}
extension Decimal: OrderedValue {}
extension Decimal128: OrderedValue {}
extension ObjectID: OrderedValue {}
extension UUID: OrderedValue {}
