import CSQLite
import Glibc

/// The entries of an index that is being filled, which are collected in memory and then returned in their order, so that
/// they are appended to the b-tree of the index's table instead of inserted in its middle.
///
/// The SQL aggregate `index_collect(entries, key, …, number[, position])` appends an entry for each row of a statement,
/// and the SQL table `index_entries(entries)` returns them, sorted by their keys. The object is passed as a pointer
/// (<https://sqlite.org/bindptr.html>), which SQL can't construct; with any other value the aggregate fails, and the
/// table has no rows.
///
/// SQLite's own sorter compares BLOBs by a function for records of any types, which takes most of the time of filling.
// Not Sendable: the entries are used on the thread that runs the statements.
@safe
package final class SortedEntries {
    /// The place of an entry in the order: the first 16 bytes of its first key, as numbers, followed by zeros if the key
    /// has fewer, and the length of that key.
    private struct Place {
        let high: UInt64
        let low: UInt64
        let length: UInt32
        /// The index of the entry, in the order in which entries were appended.
        let index: UInt32
    }

    /// The number of bytes of memory at which the entries of an index are inserted and removed, unless another one is given.
    package static let byteLimit = 32 << 20

    /// The maximum number of columns of an entry, the document's number among them.
    package static let columnLimit = 64

    /// The number of keys of an entry.
    private let keyCount: Int
    /// The number of columns of an entry that are BLOBs: the keys and the position.
    private let width: Int
    /// The error of `empty`, which ended the collecting; nil if there is none.
    package private(set) var error: (any Error)?
    private let byteLimit: Int
    private let empty: (SortedEntries) throws -> Void
    private var content = Content()

    /// Creates an object without entries.
    ///
    /// - Parameters:
    ///   - keyCount: the number of keys of an entry, at least 1.
    ///   - hasPosition: a Boolean value that says whether an entry has a position after the document's number.
    ///   - byteLimit: the number of bytes of memory at which the entries are inserted and removed.
    ///   - empty: called when the entries reach that limit, while the statement that collects them runs; inserts the
    ///     entries into the index's table.
    package init(
        keyCount: Int, hasPosition: Bool, byteLimit: Int = byteLimit, empty: @escaping (SortedEntries) throws -> Void
    ) {
        assert(keyCount > 0, "an entry has a key")
        self.keyCount = keyCount
        width = keyCount + (hasPosition ? 1 : 0)
        (self.byteLimit, self.empty) = (byteLimit, empty)
    }

    /// The number of entries.
    package var count: Int { content.numbers.count }

    /// Sorts the entries, has them inserted, and removes them.
    package func flush() throws {
        guard count > 0 else { return }
        content.sort(keyCount, width)
        try empty(self)
        content.removeAll()
    }

    /// Appends the entry whose columns are the arguments of an SQL call after the first one. Makes the call fail if one
    /// of them isn't of its type.
    fileprivate func append(_ call: BodyCall) {
        guard error == nil else { return }
        guard call.count == width + 2, unsafe sqlite3_value_type(call.arguments[keyCount + 1]) == SQLITE_INTEGER else {
            return call.fail("index_collect(entries, key, ..., number) needs the columns of an entry")
        }
        guard content.append(call, keyCount, width) else {
            return call.fail("an SQL expression of an index yields a value that is not a BLOB")
        }
        guard content.byteCount(width) >= byteLimit else { return }
        do {
            try flush()
        } catch {
            self.error = error
            call.fail("the entries of an index can't be inserted")
        }
    }

    /// Sets the result of an SQL call to a column of the entry at a position in the order.
    fileprivate func give(_ position: Int, column: Int, _ context: OpaquePointer?) {
        guard column <= width else { return }
        unsafe content.give(position, column, keyCount, width, context)
    }

    /// The entries, each with its number, its other columns one after the other in one buffer, and its place.
    private struct Content {
        private var bytes: [UInt8] = []
        /// The end of each column in `bytes`: those of the first entry, then those of the second, and so on.
        private var ends: [Int] = []
        private(set) var numbers: [Int64] = []
        private var places: [Place] = []

        mutating func removeAll() {
            bytes.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
            numbers.removeAll(keepingCapacity: true)
            places.removeAll(keepingCapacity: true)
        }

        /// The number of bytes that the entries occupy.
        func byteCount(_ width: Int) -> Int {
            bytes.count + numbers.count * (MemoryLayout<Place>.stride + MemoryLayout<Int>.stride * (width + 1))
        }

        /// Appends an entry; returns false if one of its columns isn't a BLOB.
        mutating func append(_ call: BodyCall, _ keyCount: Int, _ width: Int) -> Bool {
            let start = bytes.count
            for column in 0..<width {
                let argument = column < keyCount ? column + 1 : column + 2
                guard unsafe sqlite3_value_type(call.arguments[argument]) == SQLITE_BLOB else { return false }
                unsafe bytes.append(contentsOf: call.bytes(argument))
                ends.append(bytes.count)
            }
            let length = ends[ends.count - width] - start
            places.append(
                Place(
                    high: prefix(start, length), low: prefix(start + 8, length - 8), length: UInt32(length),
                    index: UInt32(numbers.count)))
            numbers.append(unsafe sqlite3_value_int64(call.arguments[keyCount + 1]))
            return true
        }

        /// Returns the first 8 of `length` bytes as a number that is ordered as they are.
        @inline(__always)
        private func prefix(_ start: Int, _ length: Int) -> UInt64 {
            guard length > 0 else { return 0 }
            var number: UInt64 = 0
            for index in 0..<min(length, 8) { number = number << 8 | UInt64(bytes[start + index]) }
            return length < 8 ? number << (8 * UInt64(8 - length)) : number
        }

        /// Sorts the entries by their keys; entries with equal keys stay in the order in which they were appended, which
        /// is nearly always that of the documents' numbers.
        mutating func sort(_ keyCount: Int, _ width: Int) {
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe ends.withUnsafeBufferPointer { ends in
                    places.sort { left, right in
                        if left.high != right.high { return left.high < right.high }
                        if left.low != right.low { return left.low < right.low }
                        if keyCount == 1, left.length <= 16 || right.length <= 16 {
                            return left.length != right.length ? left.length < right.length : left.index < right.index
                        }
                        let order = unsafe Self.order(Int(left.index), Int(right.index), keyCount, width, bytes, ends)
                        return order != 0 ? order < 0 : left.index < right.index
                    }
                }
            }
        }

        /// Compares the keys of two entries as SQLite compares BLOBs.
        private static func order(
            _ left: Int, _ right: Int, _ keyCount: Int, _ width: Int, _ bytes: UnsafeRawBufferPointer,
            _ ends: UnsafeBufferPointer<Int>
        ) -> Int {
            for column in 0..<keyCount {
                let (first, second) = (left * width + column, right * width + column)
                let (start, other) = unsafe (first == 0 ? 0 : ends[first - 1], second == 0 ? 0 : ends[second - 1])
                let (length, otherLength) = unsafe (ends[first] - start, ends[second] - other)
                if let address = bytes.baseAddress {
                    let order = unsafe memcmp(address + start, address + other, min(length, otherLength))
                    if order != 0 { return Int(order) }
                }
                if length != otherLength { return length - otherLength }
            }
            return 0
        }

        func give(_ position: Int, _ column: Int, _ keyCount: Int, _ width: Int, _ context: OpaquePointer?) {
            let entry = Int(places[position].index)
            if column == keyCount { return unsafe sqlite3_result_int64(context, numbers[entry]) }
            let place = entry * width + (column < keyCount ? column : column - 1)
            let (start, end) = (place == 0 ? 0 : ends[place - 1], ends[place])
            unsafe bytes.withUnsafeBytes { bytes in
                guard start < end, let address = bytes.baseAddress else {
                    _ = unsafe sqlite3_result_zeroblob64(context, 0)
                    return
                }
                // SQLite copies the bytes (SQLITE_TRANSIENT, which is a cast in a C macro).
                unsafe sqlite3_result_blob(
                    context, address + start, CInt(end - start), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
            }
        }
    }

    // MARK: - SQLite

    /// The name of the type of the pointer that is passed through SQLite. <https://sqlite.org/c3ref/bind_blob.html>
    private static let pointerType: StaticString = "sealite-index-entries"

    private static func withType<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        unsafe pointerType.utf8Start.withMemoryRebound(
            to: CChar.self, capacity: pointerType.utf8CodeUnitCount + 1, body)
    }

    /// Binds the entries to the parameter of a statement at a position, from 1. The object must live until the statement
    /// is reset or bound again.
    package func bind(to statement: OpaquePointer, at position: CInt) {
        unsafe Self.withType { type in
            _ = unsafe sqlite3_bind_pointer(statement, position, Unmanaged.passUnretained(self).toOpaque(), type, nil)
        }
    }

    /// Returns the entries that were passed as an SQL value; nil for any other value.
    fileprivate static func object(_ value: OpaquePointer?) -> Unmanaged<SortedEntries>? {
        unsafe withType { unsafe sqlite3_value_pointer(value, $0) }.map {
            unsafe Unmanaged<SortedEntries>.fromOpaque($0)
        }
    }

    /// Registers the aggregate and the table on one open SQLite connection, on its thread.
    ///
    /// - Returns: a result code of SQLite.
    static func register(on connection: OpaquePointer) -> CInt {
        let code = unsafe sqlite3_create_function_v2(
            connection, "index_collect", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil, nil, collectStep, collectFinal, nil)
        guard code == SQLITE_OK else { return code }
        return unsafe sqlite3_create_module_v2(connection, "index_entries", EntriesTable.module, nil, nil)
    }
}

private func collectStep(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
    let call = unsafe BodyCall(context, count, arguments)
    guard call.count > 0, let entries = unsafe SortedEntries.object(call.arguments[0]) else {
        return call.fail("index_collect(entries, key, ..., number) needs entries, which only this library can pass")
    }
    unsafe entries._withUnsafeGuaranteedRef { $0.append(call) }
}

// The result stays NULL.
private func collectFinal(_ context: OpaquePointer?) {}

/// The SQL table `index_entries(entries)`: a row for each entry, with the columns c0, c1 and so on. Only statements of the
/// program itself can read it.
private enum EntriesTable {
    static let columnCount = CInt(SortedEntries.columnLimit)

    static let declaration =
        "CREATE TABLE index_entries(\((0..<columnCount).map { "c\($0)" }.joined(separator: ", ")), entries HIDDEN)"

    // The module is immutable after its creation.
    nonisolated(unsafe) static let module = unsafe VirtualTable.module { methods in
        unsafe methods.xConnect = entriesConnect
        unsafe methods.xBestIndex = entriesBestIndex
        unsafe methods.xOpen = { _, cursor in unsafe VirtualTable.open(EntriesCursor(), cursor) }
    }
}

private func entriesConnect(
    _ connection: OpaquePointer?, _ data: UnsafeMutableRawPointer?, _ count: CInt,
    _ arguments: UnsafePointer<UnsafePointer<CChar>?>?,
    _ table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
    _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    guard let connection = unsafe connection else { return SQLITE_MISUSE }
    let code = unsafe sqlite3_declare_vtab(connection, EntriesTable.declaration)
    guard code == SQLITE_OK else { return code }
    let direct = unsafe sealite_declare_direct_only(connection)
    guard direct == SQLITE_OK else { return direct }
    return unsafe VirtualTable.connect(table)
}

/// Accepts only plans that give the column `entries` a value by an equality.
private func entriesBestIndex(
    _ table: UnsafeMutablePointer<sqlite3_vtab>?, _ info: UnsafeMutablePointer<sqlite3_index_info>?
) -> CInt {
    guard let info = unsafe info else { return SQLITE_CONSTRAINT }
    for index in 0..<Int(unsafe info.pointee.nConstraint) {
        let constraint = unsafe info.pointee.aConstraint[index]
        guard constraint.iColumn == EntriesTable.columnCount, Int32(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ,
            constraint.usable != 0
        else { continue }
        unsafe info.pointee.aConstraintUsage[index].argvIndex = 1
        unsafe info.pointee.aConstraintUsage[index].omit = 1
        return SQLITE_OK
    }
    return SQLITE_CONSTRAINT
}

/// A cursor of the SQL table `index_entries`. The entries mustn't change while it is used.
@safe
private final class EntriesCursor: TableCursor {
    private var entries: SortedEntries?
    private var position = 0

    override var row: Int64 { Int64(position) }
    override var isAtEnd: Bool { position >= entries?.count ?? 0 }

    override func begin(_ arguments: UnsafeMutableBufferPointer<OpaquePointer?>) -> CInt {
        guard arguments.count == 1 else { return SQLITE_MISUSE }
        entries = unsafe SortedEntries.object(arguments[0])?.takeUnretainedValue()
        position = 0
        return SQLITE_OK
    }

    override func next() -> CInt {
        position += 1
        return SQLITE_OK
    }

    override func give(column: CInt, _ context: OpaquePointer?) {
        unsafe entries?.give(position, column: Int(column), context)
    }
}
