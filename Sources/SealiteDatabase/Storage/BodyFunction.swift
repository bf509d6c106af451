internal import CSQLite
internal import Glibc
internal import GRDB
internal import SealiteJSON

/// The SQL function `body_value(body, step, …)`: what a stored body has at a path, each step a member's name or an array's
/// index. It reads JSONB in place; SQLite before 3.45 has nothing that does. Numbers become SQL numbers, true and false 1
/// and 0, null and what isn't there NULL, arrays and objects their JSON text.
enum BodyFunction {
    static let name = "body_value"

    /// Registers the function on a connection. <https://sqlite.org/c3ref/create_function.html>
    static func register(on database: GRDB.Database) throws {
        // Innocuous would let schemas of other files call it; deterministic lets expression indexes use it.
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        let code = unsafe sqlite3_create_function_v2(
            database.sqliteConnection, name, -1, flags, nil, bodyValue, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw DatabaseError(resultCode: code, message: "registering \(name) failed")
        }
    }

    /// SQLite's flag for results that it has to copy.
    fileprivate static var transient: sqlite3_destructor_type {
        unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    /// The bytes of an argument, which live as long as the call.
    @inline(__always)
    fileprivate static func bytes(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8> {
        let address = unsafe sqlite3_value_blob(value)
        let count = unsafe address == nil ? 0 : Int(sqlite3_value_bytes(value))
        return unsafe UnsafeBufferPointer(start: address?.assumingMemoryBound(to: UInt8.self), count: count)
    }

    @inline(__always)
    fileprivate static func find(
        _ body: borrowing Span<UInt8>, _ count: Int, _ arguments: UnsafeMutablePointer<OpaquePointer?>
    ) -> JSONBElement? {
        var found = JSONBElement(root: body)
        for index in 1..<max(count, 1) {
            guard let container = found else { return nil }
            let step = unsafe arguments[index]
            if container.type == JSONBType.array {
                guard unsafe sqlite3_value_type(step) == SQLITE_INTEGER else { return nil }
                found = container.item(Int(unsafe sqlite3_value_int64(step)), in: body)
            } else {
                found = unsafe container.member(bytes(step).span, in: body)
            }
        }
        return found
    }

    fileprivate static func setResult(
        _ context: OpaquePointer?, _ element: JSONBElement, _ body: UnsafeBufferPointer<UInt8>
    ) {
        let payload = unsafe UnsafeBufferPointer(rebasing: body[element.start..<element.end])
        switch element.type {
        case JSONBType.true: unsafe sqlite3_result_int(context, 1)
        case JSONBType.false: unsafe sqlite3_result_int(context, 0)
        case JSONBType.null: break
        case JSONBType.integer where payload.count <= 18: unsafe sqlite3_result_int64(context, integer(payload.span))
        case JSONBType.integer, JSONBType.float: unsafe setNumber(context, payload)
        case JSONBType.text, JSONBType.rawText: unsafe setText(context, payload)
        default:
            var serializer = JSONBSerializer(.stored)
            guard unsafe (try? serializer.write(element, in: body.span)) != nil else { return }
            unsafe serializer.text.withUnsafeBytes { text in
                unsafe setText(context, text.bindMemory(to: UInt8.self))
            }
        }
    }

    private static func setText(_ context: OpaquePointer?, _ text: UnsafeBufferPointer<UInt8>) {
        unsafe text.withMemoryRebound(to: CChar.self) { characters in
            unsafe sqlite3_result_text(context, characters.baseAddress, CInt(characters.count), transient)
        }
    }

    /// The value of at most 18 digits.
    @inline(__always)
    private static func integer(_ digits: borrowing Span<UInt8>) -> Int64 {
        var value: Int64 = 0
        let isNegative = digits.count > 0 && digits[0] == 0x2D
        for index in (isNegative ? 1 : 0)..<digits.count { value = value &* 10 &+ Int64(digits[index] &- 0x30) }
        return isNegative ? -value : value
    }

    /// A number that isn't a short integer: exact where 64 bits hold it, else the nearest double.
    private static func setNumber(_ context: OpaquePointer?, _ digits: UnsafeBufferPointer<UInt8>) {
        // strtod wants the text to end; the longest number that matters to it is far shorter than this.
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: digits.count + 1) { text in
            for index in 0..<digits.count { unsafe text[index] = CChar(bitPattern: digits[index]) }
            unsafe text[digits.count] = 0
            guard let start = text.baseAddress else { return }
            var isInteger = true
            for index in 0..<digits.count {
                let byte = unsafe digits[index]
                isInteger = isInteger && byte <= 0x39 && byte != 0x2E
            }
            if isInteger {
                errno = 0
                let value = unsafe strtoll(start, nil, 10)
                if errno == 0 { return unsafe sqlite3_result_int64(context, Int64(value)) }
            }
            unsafe sqlite3_result_double(context, strtod(start, nil))
        }
    }
}

/// https://sqlite.org/appfunc.html
private func bodyValue(
    _ context: OpaquePointer?, _ count: CInt, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
    guard count > 0, let arguments = unsafe arguments else { return }
    let body = unsafe BodyFunction.bytes(arguments[0])
    guard let found = unsafe BodyFunction.find(body.span, Int(count), arguments) else { return }
    unsafe BodyFunction.setResult(context, found, body)
}
