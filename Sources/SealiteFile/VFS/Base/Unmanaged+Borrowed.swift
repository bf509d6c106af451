extension Unmanaged {
    /// Calls `body` with the object, without retaining it. The caller must guarantee that the object lives until `body`
    /// returns. Avoiding the reference count reduces the time to read or write a page by about 5%.
    @inline(__always)
    @unsafe func borrowed<R, E: Error>(_ body: (Instance) throws(E) -> R) throws(E) -> R {
        try unsafe _withUnsafeGuaranteedRef { object in Result { () throws(E) in try body(object) } }.get()
    }
}
