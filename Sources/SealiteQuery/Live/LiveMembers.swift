/// The row numbers of the documents that take part in the result of an observed query.
struct LiveMembers: Sendable {
    private let numbers: [Int64]

    /// Creates the set of the given row numbers.
    ///
    /// - Parameter numbers: the row numbers, in any order. Those of deleted documents may be negative, as they are
    ///   stored.
    init(_ numbers: [Int64] = []) { self.numbers = numbers.map { $0 == .min ? .max : abs($0) }.sorted() }

    /// Returns whether the document with a row number, which is negative for a deleted one, takes part in the result.
    func contains(_ row: Int64) -> Bool {
        let number = row == .min ? .max : abs(row)
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < numbers.count && numbers[low] == number
    }
}
