import CSQLite
import SealiteJSON

/// One call of a function of queries: its arguments and where its result goes. Valid while the call lasts.
///
/// A call that gives nothing gives MISSING.
@safe struct QueryCall {
    private let call: BodyCall

    @inline(__always)
    init(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
        call = unsafe BodyCall(context, count, arguments)
    }

    /// The number of arguments.
    var count: Int { call.count }

    /// The value of an argument, which lives as long as the call.
    @inline(__always)
    subscript(index: Int) -> QueryValue { unsafe QueryValue(call.arguments[index]) }

    /// The value of an argument that may be left out; nil if it is.
    func optional(_ index: Int) -> QueryValue? { index < count ? self[index] : nil }

    /// The value in a body argument that the arguments behind it lead to; MISSING if there is none, or it is damaged.
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

    // MARK: What functions with like arguments begin with

    /// Answers for the first MISSING, else for the first NULL among the first `count` arguments.
    ///
    /// - Returns: true if there was one: the call has its result then.
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

    /// The collation that an optional argument names; nil, with NULL given, where it names none.
    @inline(__always)
    func collation(_ index: Int) -> TextCollation? {
        guard index < count else { return .binary }
        if case .string(let name) = self[index], let found = TextCollation.named(unsafe name.payload.span) {
            return found
        }
        giveNull()
        return nil
    }

    /// An object made for an argument, which SQLite keeps as long as the argument is the same for a whole statement. A function keeps objects
    /// of one class.
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

    /// Lends the bytes of a body argument; none for anything else than a BLOB.
    func withBody<Result>(_ index: Int, _ body: (borrowing Span<UInt8>) -> Result) -> Result {
        body(unsafe call.bytes(index).span)
    }

    /// Counts a row in the counters of the first argument, by the number in the second; gives 1.
    func countVisit() {
        if case .integer(let number) = self[1] { unsafe RowVisits.count(call.arguments[0], Int(number)) }
        call.give(Int64(1))
    }

    // MARK: Results

    /// The longest text or BLOB that the connection takes.
    var maximumByteCount: Int {
        Int(unsafe sqlite3_limit(sqlite3_context_db_handle(call.context), SQLITE_LIMIT_LENGTH, -1))
    }

    /// Ends the statement with an error.
    func fail(_ reason: String) { unsafe sqlite3_result_error(call.context, reason, -1) }

    /// Ends the statement with SQLite's "string or blob too big".
    func failAsTooLarge() { unsafe sqlite3_result_error_toobig(call.context) }

    /// The elements null, true and false, which live as long as the program.
    private static let words: StaticString = "\0\u{1}\u{2}"

    /// Gives NULL.
    func giveNull() { giveWord(JSONBType.null) }

    /// Gives true or false.
    @inline(__always)
    func give(_ value: Bool) { giveWord(value ? JSONBType.true : JSONBType.false) }

    @inline(__always)
    private func giveWord(_ type: UInt8) {
        unsafe sqlite3_result_blob(call.context, Self.words.utf8Start + Int(type), 1, nil)
    }

    /// Gives an integer.
    @inline(__always)
    func give(_ value: Int64) { call.give(value) }

    /// Gives a number; NULL for what is none or is infinite.
    @inline(__always)
    func give(_ value: Double) {
        if value.isFinite { call.give(value) } else { giveNull() }
    }

    /// Gives a text, which is copied.
    func give(text: UnsafeBufferPointer<UInt8>) { unsafe call.give(text: text) }

    /// Gives a text.
    func give(_ text: String) {
        var text = text
        text.withUTF8 { unsafe call.give(text: $0) }
    }

    /// Gives a text that lives as long as the program.
    func give(_ word: StaticString) { call.give(word) }

    /// Gives what a writer wrote, which is one element.
    func give(_ writer: consuming JSONBWriter) {
        unsafe writer.withUnsafeBytes { bytes in
            unsafe sqlite3_result_blob64(
                call.context, bytes.baseAddress, UInt64(bytes.count), BodyCall.transient)
        }
    }

    /// Gives a BLOB that is no value but a key.
    func giveKey(_ bytes: UnsafeRawBufferPointer) {
        unsafe sqlite3_result_blob64(call.context, bytes.baseAddress, UInt64(bytes.count), BodyCall.transient)
    }

    /// Gives a BLOB of at most `capacity` bytes that is no value but a key, which `fill` writes; MISSING if it returns false.
    func giveKey(_ capacity: Int, _ fill: (inout OutputSpan<UInt8>) -> Bool) { call.giveBlob(capacity, fill) }

    /// Gives a value.
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

    /// Gives the value in a body argument that the arguments behind it lead to.
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

    /// Gives an element's value; MISSING if it is damaged.
    @inline(__always)
    func give(_ element: JSONBElement, in bytes: UnsafeBufferPointer<UInt8>) {
        guard let value = unsafe QueryValue(element, in: bytes) else { return }
        switch value {
        case .array(let content), .object(let content):
            // With the shortest header, which is the usual one, the element can be copied as it lies.
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
