internal import SealiteQuery
internal import SealiteQueryLanguage

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
            return .membership(Tree.Membership(member.expression, .list(values), isNegated: isNegated))
        }
        let op: Tree.Operator = isNegated ? (member.mayBeNil ? .isNot : .notEqual) : .equal
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
    _ keyPath: PartialKeyPath<Root>, _ op: Tree.Operator, _ value: V
) -> Condition<Root> {
    Condition(keyPath) { .operation($0.ordered, op, try $0.orderedLiteral(of: value)) }
}
