import CSQLite

/// A Swift function that is called with the document bodies in the rows of an SQL statement, without a copy.
///
/// The SQL aggregate `mongo_visit(visitor, body)` calls the function, at a fraction of the cost of a step of the
/// statement. The visitor is passed as a pointer (<https://sqlite.org/bindptr.html>), which SQL can't construct; with
/// any other value the aggregate fails.
// Not Sendable: the visitor is used on the thread that runs the statement.
@safe
package final class BodyVisitor {
    /// The function that is called with a body, which is valid for the duration of the call.
    package typealias Visit = (borrowing Span<UInt8>) throws -> Void

    /// The name of the type of the pointer that is passed through SQLite. <https://sqlite.org/c3ref/bind_blob.html>
    private static let pointerType: StaticString = "sealite-body-visitor"

    /// The error that the function threw, which ended the statement; nil if there is none.
    package private(set) var error: (any Error)?
    private let visit: Visit

    /// Creates a visitor that calls the given function.
    package init(_ visit: @escaping Visit) { self.visit = visit }

    /// Binds the visitor to the parameter of a statement at a position, from 1. The visitor must live until the
    /// statement is reset or bound again.
    package func bind(to statement: OpaquePointer, at position: CInt) {
        unsafe Self.withType { type in
            _ = unsafe sqlite3_bind_pointer(statement, position, Unmanaged.passUnretained(self).toOpaque(), type, nil)
        }
    }

    private static func withType<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        unsafe pointerType.utf8Start.withMemoryRebound(
            to: CChar.self, capacity: pointerType.utf8CodeUnitCount + 1, body)
    }

    /// Calls the function of the visitor in the first argument of an SQL call with the body in the second.
    fileprivate static func visit(_ call: BodyCall) {
        let object = unsafe withType { unsafe sqlite3_value_pointer(call.arguments[0], $0) }
        guard let object = unsafe object else {
            return call.fail("mongo_visit(visitor, body) needs a visitor, a pointer that only this library can pass")
        }
        unsafe Unmanaged<BodyVisitor>.fromOpaque(object)._withUnsafeGuaranteedRef { visitor in
            do {
                try visitor.visit(unsafe call.bytes(1).span)
            } catch {
                visitor.error = error
                call.fail("the function that mongo_visit() calls with each document body threw an error")
            }
        }
    }

    /// Registers the aggregate `mongo_visit` on one open SQLite connection, on its thread.
    ///
    /// - Returns: a result code of SQLite. https://sqlite.org/c3ref/create_function.html
    static func register(on connection: OpaquePointer) -> CInt {
        unsafe sqlite3_create_function_v2(
            connection, "mongo_visit", 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil, nil, visitStep, visitFinal, nil)
    }
}

private func visitStep(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
    BodyVisitor.visit(unsafe BodyCall(context, count, arguments))
}

// The result stays NULL.
private func visitFinal(_ context: OpaquePointer?) {}
