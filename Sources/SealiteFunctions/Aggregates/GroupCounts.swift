import CSQLite
import Glibc
import SealiteJSON

/// Counts rows by their values in bounded memory: the first pass of a GROUP BY, which saves SQLite from sorting every
/// row.
///
/// `query_groups(number, v, …)` over the rows of documents returns an array of two items. The second item contains an
/// array for each group: the number of its rows, and each value in an array of its own, which is empty for MISSING.
/// Values with different bytes are in different groups, so that the reader of the groups has to combine equal values.
/// The first item is the greatest *number* of the rows that were counted: the reader has to count the rows with greater
/// numbers. It is the greatest 64-bit integer if all rows were counted, and the least one, without groups, if the rows
/// weren't in ascending order of their numbers and there were too many groups.
struct GroupCounts: ~Copyable {
    private struct Group {
        let hash: Int
        var count: Int64
        /// The range of the group's values in `bytes`.
        let place: Range<Int>
    }

    /// The maximum number of bytes that the values of all groups have together.
    private static let byteLimit = 4 << 20
    /// The maximum number of groups.
    private static let groupLimit = 1 << 16
    /// The number of groups from which on a further group is added only if there are more than twice as many rows as
    /// groups: groups of one row each save nothing.
    private static let trialLimit = 1 << 12

    private var groups: [Group] = []
    /// A hash table of the groups: each bucket has the index of a group plus 1, or 0 if it is empty; the number of
    /// buckets is a power of two.
    private var buckets = [UInt32](repeating: 0, count: 64)
    /// The values of the groups as JSONB, each value in an array of its own.
    private var bytes = GrowingBytes(capacity: 4096)
    private var rowCount = 0
    private var greatest = Int64.min
    private var isAscending = true
    private var isFull = false

    /// Counts a row, given by the arguments of a call: its number and its values. Once a further group was needed but
    /// not allowed, no row is counted any more.
    mutating func add(_ call: QueryCall) {
        guard !isFull || isAscending else { return }
        guard case .integer(let number) = call[0] else { return }
        if number <= greatest { isAscending = false }
        guard !isFull else { return }
        let start = bytes.count
        for index in 1..<call.count { append(call[index]) }
        let hash = hash(start..<bytes.count)
        if let found = find(hash, start..<bytes.count) {
            bytes.move(from: bytes.count, by: start - bytes.count)
            groups[found].count += 1
        } else if !hasRoom {
            bytes.move(from: bytes.count, by: start - bytes.count)
            isFull = true
            return
        } else {
            insert(Group(hash: hash, count: 1, place: start..<bytes.count))
        }
        greatest = max(greatest, number)
        rowCount += 1
    }

    /// A Boolean value that says whether another group may be added.
    private var hasRoom: Bool {
        guard groups.count < Self.groupLimit, bytes.count <= Self.byteLimit else { return false }
        return groups.count < Self.trialLimit || groups.count * 2 < rowCount
    }

    private mutating func append(_ value: FunctionValue) {
        switch value {
        case .missing: bytes.append(JSONBType.array)
        case .string(let text) where text.count < 256 - 2:
            // A string is copied without decoding, since most groups are of strings.
            let width = text.count > 11 ? 2 : 1
            header(JSONBType.array, text.count + width)
            header(JSONBType.rawText, text.count)
            bytes.append(unsafe text.payload.span)
        default:
            var element = JSONBWriter()
            element.append(value)
            var array = JSONBWriter()
            array.header(JSONBType.array, byteCount: element.count)
            bytes.append(array.bytes.span)
            bytes.append(element.bytes.span)
        }
    }

    /// Appends the header of a JSONB element whose payload has less than 256 bytes.
    private mutating func header(_ type: UInt8, _ byteCount: Int) {
        guard byteCount > 11 else { return bytes.append(UInt8(byteCount) << 4 | type) }
        bytes.append(12 << 4 | type)
        bytes.append(UInt8(truncatingIfNeeded: byteCount))
    }

    private func hash(_ place: Range<Int>) -> Int {
        var hasher = Hasher()
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[place])) }
        return hasher.finalize()
    }

    private func areEqual(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return true }
            return unsafe memcmp(base + left.lowerBound, base + right.lowerBound, left.count) == 0
        }
    }

    private func find(_ hash: Int, _ place: Range<Int>) -> Int? {
        var bucket = hash & (buckets.count - 1)
        while buckets[bucket] != 0 {
            let found = Int(buckets[bucket]) - 1
            if groups[found].hash == hash, areEqual(groups[found].place, place) { return found }
            bucket = (bucket + 1) & (buckets.count - 1)
        }
        return nil
    }

    private mutating func insert(_ group: Group) {
        groups.append(group)
        if groups.count * 2 > buckets.count {
            buckets = [UInt32](repeating: 0, count: buckets.count * 2)
            for index in groups.indices { enter(index) }
        } else {
            enter(groups.count - 1)
        }
    }

    private mutating func enter(_ index: Int) {
        var bucket = groups[index].hash & (buckets.count - 1)
        while buckets[bucket] != 0 { bucket = (bucket + 1) & (buckets.count - 1) }
        buckets[bucket] = UInt32(index + 1)
    }

    /// Sets the result of a call to the array that describes the counted groups.
    func give(to call: QueryCall) throws {
        let isUseless = isFull && !isAscending
        var output = JSONBWriter(capacity: isUseless ? 32 : bytes.count + groups.count * 16 + 32)
        let whole = output.begin(guess: bytes.count)
        output.integer(!isFull ? Int64.max : isUseless ? Int64.min : greatest)
        let list = output.begin(guess: bytes.count)
        for group in isUseless ? [] : groups {
            let item = output.begin(guess: group.place.count + 8)
            output.integer(group.count)
            unsafe bytes.withUnsafeBytes {
                let span = unsafe $0.bindMemory(to: UInt8.self).span
                output.raw(span, group.place.lowerBound, group.place.upperBound)
            }
            output.end(JSONBType.array, item)
        }
        output.end(JSONBType.array, list)
        output.end(JSONBType.array, whole)
        try call.give(output)
    }
}

/// The counts of one execution of `query_groups`, to which SQLite has a pointer.
private final class GroupCounter {
    var counts = GroupCounts()
}

extension GroupCounts {
    /// Registers the SQL function `query_groups` on one open SQLite connection, on its thread.
    ///
    /// - Returns: a result code of SQLite. https://sqlite.org/c3ref/create_function.html
    static func register(on connection: OpaquePointer) -> CInt {
        let flags = SQLITE_UTF8 | SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC
        return unsafe sqlite3_create_function_v2(
            connection, "query_groups", -1, flags, nil, nil, countStep, countFinal, nil)
    }
}

private func countStep(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
    guard count > 0 else {
        return unsafe sqlite3_result_error(context, "wrong number of arguments to query_groups()", -1)
    }
    let size = unsafe CInt(MemoryLayout<UnsafeMutableRawPointer?>.size)
    guard
        let slot = unsafe sqlite3_aggregate_context(context, size)?.assumingMemoryBound(
            to: UnsafeMutableRawPointer?.self)
    else { return unsafe sqlite3_result_error_nomem(context) }
    if unsafe slot.pointee == nil { unsafe slot.pointee = Unmanaged.passRetained(GroupCounter()).toOpaque() }
    guard let object = unsafe slot.pointee else { return }
    unsafe Unmanaged<GroupCounter>.fromOpaque(object)._withUnsafeGuaranteedRef {
        $0.counts.add(unsafe QueryCall(context, count, arguments))
    }
}

private func countFinal(_ context: OpaquePointer?) {
    let call = unsafe QueryCall(context, 0, nil)
    guard let memory = unsafe sqlite3_aggregate_context(context, 0),
        let object = unsafe memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self).pointee
    else {
        do { try GroupCounts().give(to: call) } catch { call.fail(error) }
        return
    }
    let counter = unsafe Unmanaged<GroupCounter>.fromOpaque(object).takeRetainedValue()
    unsafe memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self).pointee = nil
    do { try counter.counts.give(to: call) } catch { call.fail(error) }
}
