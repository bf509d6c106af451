import CSQLite
import SealiteJSON

/// A call of an SQL function of queries: its arguments and its result. Valid for the duration of the call.
///
/// A call whose result isn't set returns MISSING.
@safe struct QueryCall {
    private let call: BodyCall
    /// The work of the connection; nil for a call that does little work, or whose work SQLite's steps bound.
    private let work: UnsafeMutablePointer<ConnectionWork>?

    @inline(__always)
    init(
        _ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments,
        _ work: UnsafeMutablePointer<ConnectionWork>? = nil
    ) {
        call = unsafe BodyCall(context, count, arguments)
        unsafe self.work = work
    }

    // MARK: Work

    /// Charges units of work to the connection.
    ///
    /// - Throws: `interrupted` if the statement was interrupted.
    @inline(__always)
    func charge(_ units: Int) throws(CallFailure) {
        if let work = unsafe work { try unsafe work.pointee.charge(units, call.context) }
    }

    /// Charges a pass over a number of bytes.
    @inline(__always)
    func charge(bytes: Int) throws(CallFailure) { try charge(WorkCounter.units(ofBytes: bytes)) }

    /// Returns whether the statement that the call is in was interrupted, which takes some 3 µs.
    var isInterrupted: Bool { unsafe ConnectionWork.isInterrupted(sqlite3_context_db_handle(call.context)) }

    /// Runs `body` while a number of bytes, which it allocates, count as memory of the connection.
    func withMemory<Result>(_ byteCount: Int, _ body: () throws -> Result) throws -> Result {
        try unsafe work?.pointee.take(byteCount)
        defer { unsafe work?.pointee.giveBack(byteCount) }
        return try body()
    }

    /// Checks that the call may allocate a number of bytes for its result.
    ///
    /// - Throws: `tooLarge` if the memory of SQLite and of the functions would exceed its limit.
    func checkMemory(_ byteCount: Int) throws(CallFailure) {
        guard byteCount >= LargeResults.leastByteCount, let work = unsafe work else { return }
        try unsafe work.pointee.check(byteCount)
    }

    /// Makes the statement that the call is in fail because the function threw an error.
    func fail(_ error: any Error) {
        switch error {
        case CallFailure.interrupted: unsafe sqlite3_result_error_code(call.context, SQLITE_INTERRUPT)
        case CallFailure.tooLarge: failAsTooLarge()
        default: fail("the function failed: \(error)")
        }
    }

    /// The number of the call's arguments.
    var count: Int { call.count }

    /// Returns the value of the argument with an index, which is valid for the duration of the call.
    @inline(__always)
    subscript(index: Int) -> FunctionValue { unsafe FunctionValue(call.arguments[index]) }

    /// Returns SQLite's value of the argument with an index.
    func argument(_ index: Int) -> OpaquePointer? { unsafe call.arguments[index] }

    /// Returns the value of the optional argument with an index; nil if the call has fewer arguments.
    func optional(_ index: Int) -> FunctionValue? { index < count ? self[index] : nil }

    /// Returns the value in the body that is the argument with an index, at the path whose steps are the arguments
    /// after it; MISSING if there is none, or it is damaged.
    @inline(__always)
    func value(inBody index: Int) throws(CallFailure) -> FunctionValue {
        let body = unsafe call.bytes(index)
        let found = unsafe find(inBody: index, body)
        // The bytes before the value were skipped; without a value, the whole body was.
        try charge(bytes: found?.start ?? body.count)
        guard let found else { return .missing }
        return unsafe FunctionValue(found, in: body) ?? .missing
    }

    @inline(__always)
    private func find(inBody index: Int, _ body: UnsafeBufferPointer<UInt8>) -> JSONBElement? {
        unsafe call.find(in: body.span, stepsFrom: index + 1, countsFromEnd: true)
    }

    // MARK: Common checks of arguments

    /// Sets the result to MISSING if one of the first `count` arguments is MISSING, otherwise to NULL if one is NULL.
    ///
    /// - Returns: true if the result was set.
    func propagates(_ count: Int) -> Bool {
        var hasNull = false
        for index in 0..<min(count, self.count) {
            switch self[index] {
            case .missing: return true
            case .null: hasNull = true
            default: break
            }
        }
        if hasNull { giveNull() }
        return hasNull
    }

    /// Returns the collation that the optional argument with an index names, by default the order of bytes; nil, with
    /// the result set to NULL, for an unknown name.
    @inline(__always)
    func collation(_ index: Int) -> TextCollation? {
        guard index < count else { return .binary }
        if case .string(let name) = self[index], let found = TextCollation.named(unsafe name.payload.span) {
            return found
        }
        giveNull()
        return nil
    }

    /// Returns an object that `make` creates for the argument with an index, and that SQLite caches if the argument is
    /// constant in a statement. All objects that an SQL function creates must have the same class.
    func cached<Object: AnyObject>(_ index: Int, _ make: () -> Object) -> Object {
        if let kept = unsafe sqlite3_get_auxdata(call.context, CInt(index)) {
            return unsafe Unmanaged<Object>.fromOpaque(kept).takeUnretainedValue()
        }
        let object = make()
        let kept = unsafe Unmanaged.passRetained(object).toOpaque()
        unsafe sqlite3_set_auxdata(call.context, CInt(index), kept) { kept in
            if let kept = unsafe kept { unsafe Unmanaged<AnyObject>.fromOpaque(kept).release() }
        }
        return object
    }

    /// Calls `body` with the bytes of the argument with an index, a document's body; with no bytes if it isn't a BLOB.
    func withBody<Result>(_ index: Int, _ body: (borrowing Span<UInt8>) throws -> Result) rethrows -> Result {
        try body(unsafe call.bytes(index).span)
    }

    /// Increments the counter whose number is the second argument, from 0, among the counters in the first argument,
    /// and sets the result to 1.
    func countVisit() {
        if case .integer(let number) = self[1] { unsafe RowVisits.count(call.arguments[0], Int(number)) }
        call.give(Int64(1))
    }

    // MARK: Results

    /// The maximum size in bytes of a text or BLOB on the call's SQLite connection.
    var maximumByteCount: Int {
        Int(unsafe sqlite3_limit(sqlite3_context_db_handle(call.context), SQLITE_LIMIT_LENGTH, -1))
    }

    /// Makes the statement that the call is in fail with a message.
    func fail(_ reason: String) { unsafe sqlite3_result_error(call.context, reason, -1) }

    /// Makes the statement that the call is in fail with SQLite's "string or blob too big".
    func failAsTooLarge() { unsafe sqlite3_result_error_toobig(call.context) }

    /// The JSONB elements null, true and false, in static memory.
    private static let words: StaticString = "\0\u{1}\u{2}"

    /// Sets the result to the NULL of SQL++, which isn't SQL's NULL.
    func giveNull() { giveWord(JSONBType.null) }

    /// Sets the result to true or false.
    @inline(__always)
    func give(_ value: Bool) { giveWord(value ? JSONBType.true : JSONBType.false) }

    @inline(__always)
    private func giveWord(_ type: UInt8) {
        unsafe sqlite3_result_blob(call.context, Self.words.utf8Start + Int(type), 1, nil)
    }

    /// Sets the result to an integer.
    @inline(__always)
    func give(_ value: Int64) { call.give(value) }

    /// Sets the result to a number; to NULL for NaN and infinity.
    @inline(__always)
    func give(_ value: Double) {
        if value.isFinite { call.give(value) } else { giveNull() }
    }

    /// Sets the result to a copy of a text.
    func give(text: UnsafeBufferPointer<UInt8>) { unsafe call.give(text: text) }

    /// Sets the result to a text.
    func give(_ text: String) {
        var text = text
        text.withUTF8 { unsafe call.give(text: $0) }
    }

    /// Sets the result to a static text.
    func give(_ word: StaticString) { call.give(word) }

    /// Sets the result to the one JSONB element that a writer wrote.
    ///
    /// - Throws: `tooLarge` if the result is too long, or takes too much memory together with others.
    func give(_ writer: consuming JSONBWriter) throws(CallFailure) {
        guard writer.count >= LargeResults.leastByteCount, let work = unsafe work else {
            return unsafe writer.withUnsafeBytes { bytes in
                unsafe sqlite3_result_blob64(
                    call.context, bytes.baseAddress, UInt64(bytes.count), BodyCall.transient)
            }
        }
        let bytes = try unsafe large(writer.release(), work)
        unsafe sqlite3_result_blob64(call.context, bytes.baseAddress, UInt64(bytes.count), LargeResults.free)
    }

    /// Sets the result to a text.
    ///
    /// - Throws: `tooLarge` if the result is too long, or takes too much memory together with others.
    func give(text: consuming GrowingBytes) throws(CallFailure) {
        guard text.count >= LargeResults.leastByteCount, let work = unsafe work else {
            return unsafe text.withUnsafeBytes { bytes in unsafe give(text: bytes.bindMemory(to: UInt8.self)) }
        }
        let bytes = try unsafe large(text, work)
        unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
            unsafe sqlite3_result_text64(
                call.context, characters.baseAddress, UInt64(characters.count), LargeResults.free, UInt8(SQLITE_UTF8))
        }
    }

    /// Returns the bytes of a large result, after counting their memory for the connection.
    private func large(
        _ result: consuming GrowingBytes, _ work: UnsafeMutablePointer<ConnectionWork>
    ) throws(CallFailure) -> UnsafeMutableBufferPointer<UInt8> {
        guard result.count <= maximumByteCount else { throw .tooLarge }
        try charge(bytes: result.count)
        let bytes = unsafe result.release()
        try unsafe LargeResults.add(bytes, work)
        return unsafe bytes
    }

    /// Sets the result to a copy of bytes as a BLOB, usually a key instead of a value.
    func giveKey(_ bytes: UnsafeRawBufferPointer) {
        unsafe sqlite3_result_blob64(call.context, bytes.baseAddress, UInt64(bytes.count), BodyCall.transient)
    }

    /// Sets the result to a BLOB of at most `capacity` bytes that is a key instead of a value, which `fill` writes;
    /// MISSING if `fill` returns false.
    func giveKey(_ capacity: Int, _ fill: (inout OutputSpan<UInt8>) -> Bool) { call.giveBlob(capacity, fill) }

    /// Sets the result to a value.
    @inline(__always)
    func give(_ value: FunctionValue) {
        switch value {
        case .missing: break
        case .null: giveNull()
        case .boolean(let value): give(value)
        case .integer(let value): give(value)
        case .double(let value): call.give(value)
        case .string(let text): unsafe give(text: text.payload)
        case .bigNumber(let content), .array(let content), .object(let content): give(content)
        }
    }

    /// Sets the result to the value in the body that is the argument with an index, at the path whose steps are the
    /// arguments after it; MISSING if there is none.
    @inline(__always)
    func giveValue(inBody index: Int) throws(CallFailure) {
        let body = unsafe call.bytes(index)
        let found = unsafe find(inBody: index, body)
        try charge(bytes: found?.end ?? body.count)
        if let found { unsafe give(found, in: body) }
    }

    private func give(_ content: QueryBytes) {
        call.giveBlob(content.element.shortestByteCount) { output in
            unsafe content.element.append(to: &output, in: content.payload.span)
            return true
        }
    }

    /// Sets the result to the value of a JSONB element; MISSING if it is damaged.
    @inline(__always)
    func give(_ element: JSONBElement, in bytes: UnsafeBufferPointer<UInt8>) {
        guard let value = unsafe FunctionValue(element, in: bytes) else { return }
        switch value {
        case .array(let content), .object(let content):
            // An element with the shortest header, which is the usual case, is copied unchanged.
            let start = element.end - content.element.shortestByteCount
            if start >= 0, unsafe JSONBElement(bytes.span, at: start, limit: bytes.count) == element {
                unsafe giveKey(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[start..<element.end]))
            } else {
                give(content)
            }
        default: give(value)
        }
    }
}

/// The payload of a JSONB element, or a text, in bytes that are valid for the duration of a call of an SQL function.
@safe struct QueryBytes {
    /// The payload's bytes.
    let payload: UnsafeBufferPointer<UInt8>
    /// The element's type, one of `JSONBType`; a text has the type of a string.
    let type: UInt8

    init(_ payload: UnsafeBufferPointer<UInt8>, _ type: UInt8) {
        unsafe self.payload = payload
        self.type = type
    }

    /// The element, whose range is the whole payload.
    var element: JSONBElement { JSONBElement(type, payload: 0..<count) }
    /// The number of the payload's bytes.
    var count: Int { unsafe payload.count }
    /// The payload as text; invalid UTF-8 is replaced.
    var string: String { unsafe String(decoding: payload, as: UTF8.self) }
}

/// Counters of the rows that a statement visits, one for each of its sources, which `query_visited` increments.
///
/// The SQL function `query_visited(counters, n, …)` returns true and increments counter *n*. The counters are passed as
/// a pointer (<https://sqlite.org/bindptr.html>), which SQL can't construct; with any other value the function returns
/// true without an effect.
// Not Sendable: the counters are used on the thread that runs the statement.
@safe
package struct RowVisits: ~Copyable {
    /// The name of the type of the pointer that is passed through SQLite. <https://sqlite.org/c3ref/bind_blob.html>
    private static let pointerType: StaticString = "sealite-row-visits"

    private let counters: UnsafeMutableBufferPointer<Int64>

    /// Creates the given number of counters with the value 0.
    package init(count: Int) {
        unsafe counters = .allocate(capacity: count)
        unsafe counters.initialize(repeating: 0)
    }

    deinit { unsafe counters.deallocate() }

    /// The numbers of visited rows, in the order of the counters.
    package var counts: [Int64] { unsafe Array(counters) }

    /// Binds the counters to the parameter of a statement at a position, from 1. They must live until the statement is
    /// reset or bound again.
    package func bind(to statement: OpaquePointer, at position: CInt) {
        unsafe Self.withType { type in
            _ = unsafe sqlite3_bind_pointer(statement, position, Self.address(counters), type, nil)
        }
    }

    private static func address(_ counters: UnsafeMutableBufferPointer<Int64>) -> UnsafeMutableRawPointer? {
        unsafe counters.baseAddress.map { UnsafeMutableRawPointer($0) }
    }

    private static func withType<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        unsafe pointerType.utf8Start.withMemoryRebound(
            to: CChar.self, capacity: pointerType.utf8CodeUnitCount + 1, body)
    }

    /// Increments the counter with a number, from 0, of those that are passed in a value of SQLite; does nothing if the
    /// value isn't counters.
    ///
    /// The counter's number isn't checked, since the pointer doesn't contain the number of counters: the author of the
    /// statement must pass a valid one.
    static func count(_ value: OpaquePointer?, _ number: Int) {
        let address = unsafe withType { unsafe sqlite3_value_pointer(value, $0) }
        guard let address = unsafe address?.assumingMemoryBound(to: Int64.self), number >= 0 else { return }
        unsafe address[number] &+= 1
    }
}
