internal import CSecret
internal import SealiteCrypto

/// One counted reference to a GObject, released at the end of the value's lifetime.
///
/// The type isn't generic over the object's type, because Swift 6.3 doesn't run the deinit of a generic noncopyable
/// struct outside the file that declares it.
@safe
struct GObjectReference: ~Copyable {
    private let object: UnsafeMutableRawPointer

    /// Takes ownership of a reference that a C call returned as "transfer full"; nil for nil.
    init?<Object>(consuming pointer: UnsafeMutablePointer<Object>?) {
        guard let pointer = unsafe pointer else { return nil }
        unsafe object = UnsafeMutableRawPointer(pointer)
    }

    /// Takes ownership of a reference that a C call returned as "transfer full"; nil for nil.
    init?(consuming pointer: OpaquePointer?) {
        guard let pointer = unsafe pointer else { return nil }
        unsafe object = UnsafeMutableRawPointer(pointer)
    }

    /// Adds a reference to an object with another owner.
    init(retaining pointer: UnsafeMutableRawPointer) {
        unsafe object = pointer
        unsafe g_object_ref(object)
    }

    /// The borrowed object, valid during the lifetime of this value.
    var pointer: UnsafeMutableRawPointer { unsafe object }

    /// Passes the object to a closure; it is valid during the call.
    borrowing func withPointer<R, E: Error>(_ body: (UnsafeMutableRawPointer) throws(E) -> R) throws(E) -> R {
        try unsafe body(object)
    }

    deinit { unsafe g_object_unref(object) }
}

/// A GList whose elements are object references that this list owns.
@safe
struct GObjectList: ~Copyable {
    private let head: UnsafeMutablePointer<GList>?

    /// Takes ownership of a list that a C call returned as "transfer full"; nil is the empty list.
    init(consuming head: UnsafeMutablePointer<GList>?) {
        unsafe self.head = head
    }

    /// Passes the elements to a closure; they are valid during the call.
    borrowing func withElements<R, E: Error>(_ body: ([UnsafeMutableRawPointer]) throws(E) -> R) throws(E) -> R {
        var result: [UnsafeMutableRawPointer] = unsafe []
        var node = unsafe head
        while let current = unsafe node {
            if let data = unsafe current.pointee.data { unsafe result.append(data) }
            unsafe node = current.pointee.next
        }
        return try unsafe body(result)
    }

    deinit {
        unsafe g_list_free_full(head) { unsafe g_object_unref($0) }
    }
}

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

/// One counted reference to a SecretValue: a secret in libsecret's own locked memory, which libsecret wipes.
@safe
struct SecretValueReference: ~Copyable {
    let pointer: OpaquePointer

    /// Copies a secret for libsecret.
    init(_ secret: borrowing SecretBytes, contentType: String) {
        unsafe pointer = secret.withUnsafeBytes { bytes in
            unsafe secret_value_new(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, contentType)
        }
    }

    /// Takes ownership of a reference that a C call returned; nil for nil.
    init?(consuming pointer: OpaquePointer?) {
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
    }

    /// The size of the secret in bytes.
    var byteCount: Int {
        var byteCount: gsize = 0
        _ = unsafe secret_value_get(pointer, &byteCount)
        return Int(byteCount)
    }

    /// A copy of the secret in this module's locked memory.
    var secret: SecretBytes {
        var byteCount: gsize = 0
        let start = unsafe secret_value_get(pointer, &byteCount)
        return unsafe SecretBytes(copying: UnsafeRawBufferPointer(start: start, count: Int(byteCount)))
    }

    deinit { unsafe secret_value_unref(UnsafeMutableRawPointer(pointer)) }
}
