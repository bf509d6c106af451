import CSQLite
import SealiteJSON

/// The arguments of a call of an SQL function by SQLite.
typealias SQLArguments = UnsafeMutablePointer<OpaquePointer?>?
/// The C function that implements an SQL function, which SQLite calls. https://sqlite.org/appfunc.html
typealias FunctionBody = @convention(c) (OpaquePointer?, CInt, SQLArguments) -> Void

/// A call of an SQL function: its arguments and its result. Valid for the duration of the call.
@safe struct BodyCall {
    let context: OpaquePointer?
    let arguments: UnsafeMutableBufferPointer<OpaquePointer?>
    /// The number of the call's arguments.
    var count: Int { unsafe arguments.count }

    /// Creates a call whose number of arguments was already checked.
    @inline(__always)
    init(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
        unsafe self.context = context
        unsafe self.arguments = .init(start: arguments, count: arguments == nil ? 0 : Int(count))
    }

    /// Creates a call; nil, after making the call fail with the message `usage`, if it has fewer arguments than
    /// `least`.
    @inline(__always)
    init?(
        _ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments, atLeast least: CInt, _ usage: StaticString
    ) {
        guard count >= least, unsafe arguments != nil else {
            unsafe Self.fail(context, usage)
            return nil
        }
        unsafe self.init(context, count, arguments)
    }

    // MARK: Arguments

    /// Returns the bytes of the BLOB argument with an index, which are valid for the duration of the call; empty for an
    /// empty BLOB and for other types.
    @inline(__always)
    func bytes(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        let value = unsafe arguments[index]
        guard unsafe sqlite3_value_type(value) == SQLITE_BLOB, let start = unsafe sqlite3_value_blob(value) else {
            return unsafe UnsafeBufferPointer(start: nil, count: 0)
        }
        return unsafe UnsafeBufferPointer(
            start: start.assumingMemoryBound(to: UInt8.self), count: Int(sqlite3_value_bytes(value)))
    }

    /// Returns whether the argument with an index is SQL's NULL.
    func isNull(_ index: Int) -> Bool { unsafe sqlite3_value_type(arguments[index]) == SQLITE_NULL }

    /// Returns the order of values that the argument with an index names, `queries` or `mongo`; nil, after making the
    /// call fail, for any other argument.
    @inline(__always)
    func order(_ index: Int) -> ValueOrder? {
        if let name = unsafe text(index) {
            if unsafe Self.equal(name, "queries") { return .queries }
            if unsafe Self.equal(name, "mongo") { return .mongo }
        }
        fail("the first argument of body_key and body_compare, the order of values, must be 'queries' or 'mongo'")
        return nil
    }

    /// Returns the UTF-8 of the TEXT argument with an index, whatever the database's encoding is; nil for other types.
    @inline(__always)
    private func text(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
        let value = unsafe arguments[index]
        guard unsafe sqlite3_value_type(value) == SQLITE_TEXT, let start = unsafe sqlite3_value_text(value) else {
            return nil
        }
        return unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    @inline(__always)
    private static func equal(_ text: UnsafeBufferPointer<UInt8>, _ other: StaticString) -> Bool {
        guard text.count == other.utf8CodeUnitCount else { return false }
        for index in 0..<text.count where unsafe text[index] != other.utf8Start[index] { return false }
        return true
    }

    /// Returns the element of a document's body at the path whose steps are the arguments from `first` on; nil if there
    /// is none. If `countsFromEnd` is true, a negative index in the path counts from the end of the array; otherwise
    /// there is no element at it.
    @inline(__always)
    func find(in body: borrowing Span<UInt8>, stepsFrom first: Int, countsFromEnd: Bool = false) -> JSONBElement? {
        var found = JSONBElement(root: body)
        var index = first
        while index < count, let container = found {
            let step = unsafe arguments[index]
            switch unsafe sqlite3_value_type(step) {
            case SQLITE_TEXT:
                guard let name = unsafe text(index) else { return nil }
                found = unsafe container.member(name.span, in: body)
            case SQLITE_INTEGER:
                let place = Int(unsafe sqlite3_value_int64(step))
                let isFromEnd = countsFromEnd && place < 0
                found = container.item(isFromEnd ? container.itemCount(in: body) &+ place : place, in: body)
            default: return nil
            }
            index += 1
        }
        return found
    }

    // MARK: Results. Without a result a call returns NULL.

    static var transient: sqlite3_destructor_type {
        unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    func give(_ value: Int64) { unsafe sqlite3_result_int64(context, value) }

    func give(_ value: Double) { unsafe sqlite3_result_double(context, value) }

    /// Sets the result of the call to a static text.
    func give(_ word: StaticString) {
        unsafe word.utf8Start.withMemoryRebound(to: CChar.self, capacity: word.utf8CodeUnitCount) { characters in
            unsafe sqlite3_result_text(context, characters, CInt(word.utf8CodeUnitCount), nil)
        }
    }

    func give(text: UnsafeBufferPointer<UInt8>) {
        unsafe text.withMemoryRebound(to: CChar.self) { characters in
            unsafe sqlite3_result_text64(
                context, characters.baseAddress, UInt64(characters.count), Self.transient, UInt8(SQLITE_UTF8))
        }
    }

    /// Sets the result of the call to a BLOB of at most `capacity` bytes, which `fill` writes; SQL's NULL if `fill`
    /// returns false.
    @inline(__always)
    func giveBlob(_ capacity: Int, _ fill: (inout OutputSpan<UInt8>) -> Bool) {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
            var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            let isWhole = fill(&output)
            let count = unsafe output.finalize(for: buffer)
            guard isWhole else { return }
            unsafe sqlite3_result_blob64(context, buffer.baseAddress, UInt64(count), Self.transient)
        }
    }

    func fail(_ reason: StaticString) { unsafe Self.fail(context, reason) }

    private static func fail(_ context: OpaquePointer?, _ reason: StaticString) {
        unsafe reason.utf8Start.withMemoryRebound(to: CChar.self, capacity: reason.utf8CodeUnitCount) { characters in
            unsafe sqlite3_result_error(context, characters, CInt(reason.utf8CodeUnitCount))
        }
    }
}
