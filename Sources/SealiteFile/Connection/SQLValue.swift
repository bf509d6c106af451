import CSQLite
import Glibc

/// A value to bind to a statement.
package enum SQLValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    func bind(to statement: OpaquePointer, _ index: CInt) {
        assert(unsafe index >= 1 && index <= sqlite3_bind_parameter_count(statement), "the statement has the parameter")
        switch self {
        case .null: unsafe sqlite3_bind_null(statement, index)
        case .integer(let value): unsafe sqlite3_bind_int64(statement, index, value)
        case .real(let value): unsafe sqlite3_bind_double(statement, index, value)
        case .text(let text): unsafe sealite_bind_text(statement, index, text, CInt(text.utf8.count))
        case .blob(let bytes): unsafe sealite_bind_blob(statement, index, bytes, CInt(bytes.count))
        }
    }
}
