import CSQLite
import SealiteFile

/// The arguments of a call of an SQL function, as SQLite passes them.
typealias SQLValues = UnsafeMutablePointer<OpaquePointer?>?

/// A C function that SQLite calls for an SQL function. <https://sqlite.org/c3ref/create_function.html>
typealias FunctionBody = @convention(c) (OpaquePointer?, CInt, SQLValues) -> Void

/// Runs the body of an SQL function, and passes to SQLite the text that it returns, NULL for nil, or the error that it
/// throws.
func answer(
    _ context: OpaquePointer?, _ values: SQLValues, _ body: (Arguments) throws(SealedFileError) -> String?
) {
    do throws(SealedFileError) {
        guard let text = unsafe try body(Arguments(values)) else { return unsafe sqlite3_result_null(context) }
        unsafe sealite_result_text(context, text, CInt(text.utf8.count))
    } catch {
        let text = worded(error)
        unsafe sqlite3_result_error(context, text, CInt(text.utf8.count))
        if error.code == .busy { unsafe sqlite3_result_error_code(context, SQLITE_BUSY) }
    }
}

/// Returns an error as one line that starts with its code, for programs that receive only a message.
func worded(_ error: SealedFileError) -> String { "\(error.code.rawValue): \(error)" }
