internal import CSecret

/// Passes a temporary GList of the elements to a closure and then frees the list's nodes. The elements themselves keep
/// their owners.
func withGList<R>(of elements: [UnsafeMutableRawPointer], _ body: (UnsafeMutablePointer<GList>?) -> R) -> R {
    let list = unsafe elements.reduce(nil) { unsafe g_list_append($0, $1) }
    defer { unsafe g_list_free(list) }
    return unsafe body(list)
}
