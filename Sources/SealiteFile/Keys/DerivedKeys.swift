/// An object that owns keys derived from a key ring; ``SealedDatabase/lock()`` must wipe them.
protocol DerivedKeys: AnyObject {
    /// Wipes every derived key. Later uses of the object throw `locked`.
    func wipe()
}
