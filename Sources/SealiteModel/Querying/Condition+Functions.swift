internal import Foundation
internal import SealiteQuery
internal import SealiteQueryLanguage

extension String: TextMember {}

extension Optional: TextMember where Wrapped == String {}

extension Array: ListMember {}

extension Set: ListMember {}

extension Optional: ListMember where Wrapped: ListMember {
    /// The type of the elements of the list or set.
    public typealias Element = Wrapped.Element
}

extension Condition {
    // MARK: - Text

    /// Returns the condition that a text member matches a pattern, in which `%` matches any text and `_` one character;
    /// a backslash escapes the next character. Case matters; a member that is nil doesn't match.
    public static func like<V: TextMember>(_ member: KeyPath<Root, V>, _ pattern: String) -> Condition {
        Condition(member) { .like(Like($0.expression, .literal(.string(pattern)))) }
    }

    /// Returns the condition that a text member starts with a prefix. Case matters; a member that is nil doesn't match.
    public static func hasPrefix<V: TextMember>(_ member: KeyPath<Root, V>, _ prefix: String) -> Condition {
        like(member, escaped(prefix) + "%")
    }

    /// Returns the condition that a text member ends with a suffix. Case matters; a member that is nil doesn't match.
    public static func hasSuffix<V: TextMember>(_ member: KeyPath<Root, V>, _ suffix: String) -> Condition {
        like(member, "%" + escaped(suffix))
    }

    /// Returns the condition that a text member contains another text. Case matters; a member that is nil doesn't match.
    public static func contains<V: TextMember>(_ member: KeyPath<Root, V>, _ text: String) -> Condition {
        Condition(member) { .call(FunctionCall("CONTAINS", [$0.expression, .literal(.string(text))])) }
    }

    /// Returns the condition that a regular expression matches anywhere in a text member.
    public static func matches<V: TextMember>(_ member: KeyPath<Root, V>, _ pattern: String) -> Condition {
        Condition(member) { .call(FunctionCall("REGEXP_LIKE", [$0.expression, .literal(.string(pattern))])) }
    }

    /// Returns a text as a pattern of `LIKE` that matches the text itself: wildcards are escaped.
    private static func escaped(_ text: String) -> String {
        // By scalar: a wildcard with a combining mark after it is another character, but still a wildcard.
        var pattern = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if "%_\\".unicodeScalars.contains(scalar) { pattern.append("\\") }
            pattern.append(scalar)
        }
        return String(pattern)
    }

    // MARK: - Ranges and lists

    /// Returns the condition that a member is within two bounds, inclusive.
    public static func between<V: OrderedValue>(
        _ member: KeyPath<Root, V>, _ lower: V, _ upper: V
    ) -> Condition { range(member, lower, upper) }

    /// Returns the condition that an optional member is within two bounds, inclusive; false for a member that is nil.
    public static func between<V: OrderedValue>(
        _ member: KeyPath<Root, V?>, _ lower: V, _ upper: V
    ) -> Condition { range(member, lower, upper) }

    private static func range<V: OrderedValue>(_ member: PartialKeyPath<Root>, _ lower: V, _ upper: V) -> Condition {
        Condition(member) {
            .between(
                Between($0.ordered, try $0.orderedLiteral(of: lower), try $0.orderedLiteral(of: upper)))
        }
    }

    /// Returns the condition that a member is one of a list of values; nil in the list matches an absent member.
    public static func `in`<V: Encodable & Equatable>(_ member: KeyPath<Root, V>, _ values: [V]) -> Condition {
        Condition(member, isTwoValued: false) { member in
            let isNilAmong = try values.contains { try member.isNil($0) }
            let literals = try values.filter { try !member.isNil($0) }.flatMap { try member.literals(of: $0) }
            // The number of operands of one list is limited.
            var terms: [Tree.Expression] = stride(from: 0, to: literals.count, by: Self.listCount).map { start in
                let part = literals[start..<Swift.min(start + Self.listCount, literals.count)]
                return .membership(Membership(member.expression, .list(Array(part))))
            }
            if isNilAmong { terms.append(member.isNil) }
            return terms.count > 1 ? .or(terms) : terms.first ?? .literal(.boolean(false))
        }
    }

    private static var listCount: Int { 100 }

    // MARK: - Elements

    /// Returns the condition that a list or set member contains a value.
    public static func contains<L: ListMember>(_ member: KeyPath<Root, L>, _ element: L.Element) -> Condition
    where L.Element: Encodable & Equatable {
        Condition(member, isTwoValued: false) {
            .membership(
                Membership(try $0.elementLiteral(of: element), .elements($0.expression)))
        }
    }

    /// Returns the condition that a list or set member contains a link to a given object.
    public static func contains<L: ListMember, T: Model>(_ member: KeyPath<Root, L>, _ target: T) -> Condition
    where L.Element == Reference<T> { contains(member, Reference(target)) }

    /// Returns the condition that at least one element of a list or a set fulfils a condition. If the elements aren't
    /// objects, `\.self` stands for the element in the condition.
    public static func any<L: ListMember>(_ member: KeyPath<Root, L>, _ condition: Condition<L.Element>) -> Condition {
        elements(.any, member, condition)
    }

    /// Returns the condition that every element of a list or a set fulfils a condition; true for an empty or absent
    /// list or set.
    public static func all<L: ListMember>(_ member: KeyPath<Root, L>, _ condition: Condition<L.Element>) -> Condition {
        elements(.every, member, condition)
    }

    private static func elements<L: ListMember>(
        _ quantifier: Quantified.Quantifier, _ member: KeyPath<Root, L>, _ condition: Condition<L.Element>
    ) -> Condition {
        Condition(member, isTwoValued: false) {
            .quantified(
                Quantified(
                    quantifier, MemberPath.variable, in: $0.expression, satisfies: try condition.tree.get()))
        }
    }
}
