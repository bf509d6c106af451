/// A step of a path into JSONB: from an object to one of its members, or from an array to one of its items.
package enum JSONBStep: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// The member of an object with this name, compared by its bytes.
    case member(String)
    /// The item of an array at this index, from 0.
    case item(Int)

    package init(stringLiteral name: String) { self = .member(name) }
    package init(integerLiteral index: Int) { self = .item(index) }
}
