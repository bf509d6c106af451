/// A document: members in their order, each name once where the document was made by this type's methods.
///
/// Names are compared by their bytes. Looking a name up takes time in proportion to the number of members.
public struct MongoDocument: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// A name and its value.
    public struct Member: Sendable, Hashable {
        /// The name; it may be empty.
        public var key: String
        /// The value.
        public var value: BSON

        /// A member.
        public init(_ key: String, _ value: BSON) { (self.key, self.value) = (key, value) }

        /// Returns a Boolean value that says whether two values have the same type and content.
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

    /// An empty document.
    public init() { members = [] }

    /// A document of members in their order; of two with one name both stay, and the first one is found.
    public init(_ members: [Member]) { self.members = members }

    /// A document of names and values in their order; the last value of a name that occurs again takes the first one's place.
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

    /// The value of a name; nil if the document doesn't have it. Setting a name that isn't there appends it; setting nil removes the member.
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

    /// Returns the place of the first member of a name; nil if there is none.
    public func index(of key: String) -> Int? {
        members.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
    }

    /// Appends a member without looking for its name.
    public mutating func append(_ key: String, _ value: BSON) { members.append(Member(key, value)) }

    /// Inserts a member at a place, from 0 to `count`, without looking for its name.
    public mutating func insert(_ key: String, _ value: BSON, at index: Int) {
        members.insert(Member(key, value), at: index)
    }
}

extension MongoDocument: Sequence {
    /// An iterator over the members in their order.
    public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }
}
