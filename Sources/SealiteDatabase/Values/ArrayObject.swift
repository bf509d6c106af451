internal import SealiteJSON

/// A JSON array. This is a value type, like Swift's arrays.
public struct ArrayObject: Sendable, Hashable, ExpressibleByArrayLiteral, RandomAccessCollection, MutableCollection,
    RangeReplaceableCollection
{
    private var items: [Value] = []

    /// Creates an empty array.
    public init() {}

    /// Creates an array of items.
    public init(_ items: some Sequence<Value>) { self.items = Array(items) }

    /// Creates an array from a literal.
    public init(arrayLiteral elements: Value...) { items = elements }

    /// The first position, 0.
    public var startIndex: Int { 0 }
    /// The position after the last item, which is the number of items.
    public var endIndex: Int { items.count }

    /// The item at a position, which must be within the array.
    public subscript(position: Int) -> Value {
        get { items[position] }
        set { items[position] = newValue }
    }

    /// Replaces the items of a range.
    public mutating func replaceSubrange(_ range: Range<Int>, with new: some Swift.Collection<Value>) {
        items.replaceSubrange(range, with: new)
    }
}
