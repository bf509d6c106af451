struct BuiltIndex: Index {
    let config: ValueIndexConfiguration
    /// The reason why an item can't be in an index, a malformed key path or an unusable value; nil if there is none.
    let failure: String?
}
