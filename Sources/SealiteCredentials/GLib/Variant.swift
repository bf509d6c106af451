internal import CSecret

/// One counted reference to a GVariant: a value of D-Bus. Every read checks the type.
@safe
struct Variant: ~Copyable {
    private let pointer: OpaquePointer

    /// Takes ownership of a reference that a C call returned; nil for nil.
    init?(consuming pointer: OpaquePointer?) {
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
    }

    deinit { unsafe g_variant_unref(pointer) }

    private var type: String { unsafe String(cString: g_variant_get_type_string(pointer)) }

    /// The text, if the value is a string or an object path; otherwise nil.
    var text: String? {
        guard ["s", "o"].contains(type), let text = unsafe g_variant_get_string(pointer, nil) else { return nil }
        return unsafe String(cString: text)
    }

    /// The Boolean, if the value is one; otherwise nil.
    var boolean: Bool? { type == "b" ? unsafe g_variant_get_boolean(pointer) != 0 : nil }

    /// The number, if the value is an unsigned 32-bit integer; otherwise nil.
    var number: UInt32? { type == "u" ? unsafe g_variant_get_uint32(pointer) : nil }

    /// The texts, if the value is an array of object paths; otherwise nil.
    var paths: [String]? {
        guard type == "ao" else { return nil }
        return unsafe (0..<g_variant_n_children(pointer)).compactMap { index in
            unsafe Variant(consuming: g_variant_get_child_value(pointer, index)).flatMapText()
        }
    }

    /// The elements of a tuple of an array of object paths and an object path; nil for any other value.
    var pathsAndPath: (paths: [String], path: String)? {
        guard type == "(aoo)" else { return nil }
        let first = unsafe Variant(consuming: g_variant_get_child_value(pointer, 0))
        let second = unsafe Variant(consuming: g_variant_get_child_value(pointer, 1))
        guard let paths = first?.paths, let path = second.flatMapText() else { return nil }
        return (paths, path)
    }

    /// The element of a tuple with exactly one element, unwrapped if it is itself a variant; nil for any other value.
    var content: Variant? {
        guard type.hasPrefix("("), unsafe g_variant_n_children(pointer) == 1 else { return nil }
        let child = unsafe g_variant_get_child_value(pointer, 0)
        guard let child = unsafe child else { return nil }
        guard unsafe String(cString: g_variant_get_type_string(child)) == "v" else {
            return unsafe Variant(consuming: child)
        }
        defer { unsafe g_variant_unref(child) }
        return unsafe Variant(consuming: g_variant_get_variant(child))
    }
}

extension Optional where Wrapped == Variant, Wrapped: ~Copyable {
    /// Returns the text of the variant; nil if there is no variant or it isn't a text.
    consuming func flatMapText() -> String? {
        switch consume self {
        case .some(let variant): variant.text
        case .none: nil
        }
    }
}
