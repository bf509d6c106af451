/// An owner of keys derived from a key ring, which `lock()` must wipe.
protocol DerivedKeys: AnyObject {
    /// Wipes every derived key; later calls throw `locked`.
    func wipe()
}
