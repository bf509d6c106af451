/// A document: members in their order. The methods of this type keep names unique, except where they say otherwise.
///
/// Names are compared by their bytes. Looking up a name takes time in proportion to the number of members.
public struct MongoDocument: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// A name and its value.
    public struct Member: Sendable, Hashable {
        /// The name; it may be empty.
        public var key: String
        /// The value.
        public var value: BSON

        /// Creates a member.
        public init(_ key: String, _ value: BSON) { (self.key, self.value) = (key, value) }

        /// Returns whether two members have the same name, byte by byte, and equal values.
        public static func == (left: Member, right: Member) -> Bool {
            left.key.utf8.elementsEqual(right.key.utf8) && left.value == right.value
        }

        /// Feeds the content to a hasher.
        public func hash(into hasher: inout Hasher) {
            ExactKey.hash(key, into: &hasher)
            hasher.combine(value)
        }
    }

    /// The members in their order.
    public private(set) var members: [Member]

    /// Creates an empty document.
    public init() { members = [] }

    /// Creates a document from members in their order; if a name occurs twice, both members are kept and lookups find
    /// the first one.
    public init(_ members: [Member]) { self.members = members }

    /// Creates a document from names and values in their order; if a name occurs again, its last value is at the first
    /// position.
    public init(dictionaryLiteral elements: (String, BSON)...) {
        members = []
        for (key, value) in elements { self[key] = value }
    }

    /// The names in their order.
    public var keys: [String] { members.map(\.key) }
    /// The number of members.
    public var count: Int { members.count }
    /// A Boolean value that says whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The value of the first member with a name; nil if there is none. Setting the value of a new name appends a
    /// member; setting nil removes the member.
    public subscript(key: String) -> BSON? {
        get { index(of: key).map { members[$0].value } }
        set {
            switch (index(of: key), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key, value))
            case (nil, nil): break
            }
        }
    }

    /// Returns the index of the first member with a name; nil if there is none.
    public func index(of key: String) -> Int? {
        members.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
    }

    /// Appends a member without checking whether its name exists.
    public mutating func append(_ key: String, _ value: BSON) { members.append(Member(key, value)) }

    /// Inserts a member at an index from 0 to `count`, without checking whether its name exists.
    public mutating func insert(_ key: String, _ value: BSON, at index: Int) {
        members.insert(Member(key, value), at: index)
    }
}

extension MongoDocument: Sequence {
    /// Returns an iterator over the members in their order.
    public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }
}
