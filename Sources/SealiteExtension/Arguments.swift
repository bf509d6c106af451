import CSQLite
import SealiteFile

/// The arguments of a call of an SQL function. <https://sqlite.org/c3ref/value_blob.html>
@safe struct Arguments {
    private let values: SQLValues

    init(_ values: SQLValues) { unsafe self.values = unsafe values }

    /// Returns the argument at an index as text; throws `SealedFileError` if it is NULL, empty or has a NUL character.
    /// `what` names the argument in the error.
    func text(_ index: Int, _ what: String) throws(SealedFileError) -> String {
        let value = unsafe values?[index]
        guard let bytes = unsafe sqlite3_value_text(value) else {
            throw SealedFileError(.invalidArgument, "\(what) is NULL")
        }
        let count = unsafe Int(sqlite3_value_bytes(value))
        let text = unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        guard !text.isEmpty, !text.utf8.contains(0) else {
            throw SealedFileError(.invalidArgument, "\(what) is empty or contains a NUL character")
        }
        return text
    }

    /// Returns the argument at an index as a file descriptor; throws `SealedFileError` if it isn't an integer of at
    /// least 0.
    func descriptor(_ index: Int) throws(SealedFileError) -> CInt {
        let value = unsafe values?[index]
        guard unsafe sqlite3_value_type(value) == SQLITE_INTEGER,
            let descriptor = unsafe CInt(exactly: sqlite3_value_int64(value)), descriptor >= 0
        else { throw SealedFileError(.invalidArgument, "the file descriptor isn't an integer from 0 to \(CInt.max)") }
        return descriptor
    }
}
