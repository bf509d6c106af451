/// An object that owns keys derived from a key ring, which ``SealedDatabase/lock()`` must wipe too.
protocol DerivedKeys: AnyObject {
    /// Wipes every derived key. Later uses of the object throw `locked`.
    func wipe()
}
