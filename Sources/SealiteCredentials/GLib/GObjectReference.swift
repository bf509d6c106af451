internal import CSecret

/// One counted reference to a GObject, given back when the value ends.
///
/// Not generic over the object's type, though it could be: Swift 6.3 doesn't run the deinit of a generic noncopyable
/// struct outside the file it is declared in.
@safe
struct GObjectReference: ~Copyable {
    private let object: UnsafeMutableRawPointer

    /// Takes over the reference that a C call marked "transfer full" handed out; nil for nil.
    init?<Object>(consuming pointer: UnsafeMutablePointer<Object>?) {
        guard let pointer = unsafe pointer else { return nil }
        unsafe object = UnsafeMutableRawPointer(pointer)
    }

    /// Takes over the reference that a C call marked "transfer full" handed out; nil for nil.
    init?(consuming pointer: OpaquePointer?) {
        guard let pointer = unsafe pointer else { return nil }
        unsafe object = UnsafeMutableRawPointer(pointer)
    }

    /// Adds a reference to an object that someone else owns.
    init(retaining pointer: UnsafeMutableRawPointer) {
        unsafe object = pointer
        unsafe g_object_ref(object)
    }

    /// The object, borrowed: valid as long as this value is.
    var pointer: UnsafeMutableRawPointer { unsafe object }

    /// Lends the object, for as long as the closure runs.
    borrowing func withPointer<R, E: Error>(_ body: (UnsafeMutableRawPointer) throws(E) -> R) throws(E) -> R {
        try unsafe body(object)
    }

    deinit { unsafe g_object_unref(object) }
}
