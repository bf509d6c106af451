internal import CSecret

/// Passes a GList of elements with other owners to a function; only the list's nodes are freed.
func withGList<R>(of elements: [UnsafeMutableRawPointer], _ body: (UnsafeMutablePointer<GList>?) -> R) -> R {
    let list = unsafe elements.reduce(nil) { unsafe g_list_append($0, $1) }
    defer { unsafe g_list_free(list) }
    return unsafe body(list)
}
