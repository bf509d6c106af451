/// The formats in which wrappers, the objects of Extended JSON for values of types that JSON lacks, are written; they
/// differ in the values that need a wrapper.
enum WrapperForm {
    /// Relaxed Extended JSON.
    case relaxed
    /// Canonical Extended JSON, which preserves every type.
    case canonical
    /// The bodies of documents in a database, in which each value has one fixed form.
    case stored
}
