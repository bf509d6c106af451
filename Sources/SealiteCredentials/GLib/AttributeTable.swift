internal import CSecret

/// A GHashTable of strings, the form of attributes in libsecret.
@safe
struct AttributeTable: ~Copyable {
    private let pointer: OpaquePointer

    /// Creates a table with copies of the strings.
    init(_ attributes: [String: String]) {
        unsafe pointer = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)
        for (name, value) in attributes {
            _ = unsafe g_hash_table_insert(pointer, g_strdup(name), g_strdup(value))
        }
    }

    /// Takes ownership of a table of strings that a C call returned.
    init(consuming pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    /// Passes the table to a C call; it is valid during the call.
    borrowing func withPointer<R>(_ body: (OpaquePointer) -> R) -> R {
        unsafe body(pointer)
    }

    /// Copies of the strings. Invalid UTF-8 is replaced by U+FFFD.
    var dictionary: [String: String] {
        var iterator = unsafe GHashTableIter()
        unsafe g_hash_table_iter_init(&iterator, pointer)
        var result: [String: String] = [:]
        var key: UnsafeMutableRawPointer?
        var value: UnsafeMutableRawPointer?
        while unsafe g_hash_table_iter_next(&iterator, &key, &value) != 0 {
            guard let key = unsafe key, let value = unsafe value else { continue }
            let name = unsafe String(cString: key.assumingMemoryBound(to: CChar.self))
            result[name] = unsafe String(cString: value.assumingMemoryBound(to: CChar.self))
        }
        return result
    }

    deinit { unsafe g_hash_table_unref(pointer) }
}
