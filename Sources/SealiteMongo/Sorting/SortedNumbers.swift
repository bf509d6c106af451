internal import Glibc
internal import SealiteValues

/// The first row numbers of a sort order among those that were added, at most `limit`, with the keys of the values by
/// which they are sorted: 40 bytes and the keys for each.
@safe struct SortedNumbers {
    private struct Place {
        /// The first 8 bytes of the key, ordered as they are, and zeros after a shorter key.
        let head: UInt64
        let number: Int64
        /// The range of the key in `bytes`.
        let start: Int
        let end: Int
    }

    private let order: SortOrder
    private let limit: Int
    private let work: WorkMeter
    private var bytes: [UInt8] = []
    private var places: [Place] = []
    /// The values of keys that are truncated, by the start of the key.
    private var truncated: [Int: [BSON]] = [:]

    /// Creates an empty list, which charges its comparisons to `work`.
    init(_ order: SortOrder, limit: Int, _ work: WorkMeter) {
        (self.order, self.limit, self.work) = (order, limit, work)
    }

    /// Adds a row number with its sort values, one for each key of the order; of numbers with equal values the lower one
    /// comes first.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    mutating func add(_ values: [BSON], number: Int64) throws {
        let start = bytes.count
        for (value, key) in zip(values, order.keys) {
            let part = OrderKey.bytes(of: value)
            if key.isDescending { bytes += part.lazy.map { ~$0 } } else { bytes += part }
            guard part.count < OrderKey.maximumByteCount else {
                // Parts after a truncated one would be compared with the rest of another key.
                truncated[start] = values
                break
            }
        }
        append(number, start, bytes.count)
        if limit < Int.max / 2, places.count >= max(2 * limit, 1_024) { try dropLast() }
    }

    private mutating func append(_ number: Int64, _ start: Int, _ end: Int) {
        var head: UInt64 = 0
        for index in start..<start + 8 { head = head << 8 | (index < end ? UInt64(bytes[index]) : 0) }
        places.append(Place(head: head, number: number, start: start, end: end))
    }

    /// Returns the first numbers in the sort order.
    mutating func sorted() throws -> [Int64] {
        try sort()
        return places.prefix(limit).map(\.number)
    }

    private mutating func sort() throws {
        let (order, truncated, work) = (order, truncated, work)
        try unsafe bytes.withUnsafeBytes { bytes in
            try places.sort { left, right in
                if left.head != right.head {
                    try work.charge(1)
                    return left.head < right.head
                }
                let (length, other) = (left.end - left.start, right.end - right.start)
                try work.charge(bytes: min(length, other))
                if let address = bytes.baseAddress {
                    let result = unsafe memcmp(address + left.start, address + right.start, min(length, other))
                    if result != 0 { return result < 0 }
                }
                if length != other { return length < other }
                if !truncated.isEmpty, let values = truncated[left.start], let others = truncated[right.start] {
                    let result = try order.compare(values, others, work)
                    if result != 0 { return result < 0 }
                }
                return left.number < right.number
            }
        }
    }

    /// Forgets the numbers after the first `limit`.
    private mutating func dropLast() throws {
        try sort()
        let (first, old, values) = (places.prefix(limit), bytes, truncated)
        (places, bytes, truncated) = ([], [], [:])
        for place in first {
            let start = bytes.count
            bytes += old[place.start..<place.end]
            truncated[start] = values[place.start]
            append(place.number, start, bytes.count)
        }
    }
}
