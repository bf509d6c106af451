internal import CSecret

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
