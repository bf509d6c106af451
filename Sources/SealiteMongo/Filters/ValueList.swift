internal import SealiteValues

/// The operand of `$in` or `$nin`: values and regular expressions.
struct ValueList: Sendable {
    /// The values in ascending order, each once, without null and undefined.
    let values: [BSON]
    /// The regular expressions, which match strings.
    let patterns: [FilterPattern]
    /// A Boolean value that says whether the operand has null or undefined, so that missing values match.
    let hasNull: Bool

    init(_ values: [BSON], _ patterns: [FilterPattern]) {
        hasNull = values.contains { $0.isNullish }
        var sorted: [BSON] = []
        for value in values.filter({ !$0.isNullish }).sorted(by: { $0.compared(to: $1) < 0 })
        where sorted.last.map({ $0.compared(to: value) != 0 }) ?? true {
            sorted.append(value)
        }
        (self.values, self.patterns) = (sorted, patterns)
    }

    /// Returns a Boolean value that says whether a value is equal to one of the list, or matched by one of its
    /// patterns.
    func holds<Node: FilterNode>(for node: Node, in bytes: borrowing Span<UInt8>) throws(MongoError) -> Bool {
        if hasNull, LeafTest.isEqual(node, to: .null, in: bytes) { return true }
        var (low, high) = (0, values.count)
        while low < high {
            let middle = (low + high) / 2
            let order = node.order(against: values[middle], in: bytes)
            if order == 0 { return true }
            if order < 0 { high = middle } else { low = middle + 1 }
        }
        for pattern in patterns where try pattern.holds(for: node, in: bytes) { return true }
        return false
    }
}
