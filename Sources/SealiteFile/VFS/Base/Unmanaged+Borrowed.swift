extension Unmanaged {
    /// Calls `body` with an object that the caller knows to outlive the call. Nothing is counted: counting references takes
    /// a twentieth of what a page costs.
    @inline(__always)
    @unsafe func borrowed<R, E: Error>(_ body: (Instance) throws(E) -> R) throws(E) -> R {
        try unsafe _withUnsafeGuaranteedRef { object in Result { () throws(E) in try body(object) } }.get()
    }
}
