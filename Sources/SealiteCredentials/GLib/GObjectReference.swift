internal import CSecret

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
