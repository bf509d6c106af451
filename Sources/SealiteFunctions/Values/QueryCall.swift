import CSQLite
import SealiteJSON

/// A call of an SQL function of queries: its arguments and its result. Valid for the duration of the call.
///
/// A call whose result isn't set returns MISSING.
@safe struct QueryCall {
    private let call: BodyCall

    @inline(__always)
    init(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
        call = unsafe BodyCall(context, count, arguments)
    }

    /// The number of the call's arguments.
    var count: Int { call.count }

    /// Returns the value of the argument with an index, which is valid for the duration of the call.
    @inline(__always)
    subscript(index: Int) -> QueryValue { unsafe QueryValue(call.arguments[index]) }

    /// Returns the value of the optional argument with an index; nil if the call has fewer arguments.
    func optional(_ index: Int) -> QueryValue? { index < count ? self[index] : nil }

    /// Returns the value in the body that is the argument with an index, at the path whose steps are the arguments
    /// after it; MISSING if there is none, or it is damaged.
    @inline(__always)
    func value(inBody index: Int) -> QueryValue {
        let body = unsafe call.bytes(index)
        guard let found = unsafe find(inBody: index, body) else { return .missing }
        return unsafe QueryValue(found, in: body) ?? .missing
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
    func withBody<Result>(_ index: Int, _ body: (borrowing Span<UInt8>) -> Result) -> Result {
        body(unsafe call.bytes(index).span)
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
    func give(_ writer: consuming JSONBWriter) {
        unsafe writer.withUnsafeBytes { bytes in
            unsafe sqlite3_result_blob64(
                call.context, bytes.baseAddress, UInt64(bytes.count), BodyCall.transient)
        }
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
    func give(_ value: QueryValue) {
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
    func giveValue(inBody index: Int) {
        let body = unsafe call.bytes(index)
        if let found = unsafe find(inBody: index, body) { unsafe give(found, in: body) }
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
        guard let value = unsafe QueryValue(element, in: bytes) else { return }
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
