/// The formats in which wrappers are written, which differ in the values that need a wrapper.
enum WrapperForm {
    /// Relaxed Extended JSON.
    case relaxed
    /// Canonical Extended JSON, which preserves every type.
    case canonical
    /// Stored bodies, in which each wrapper has one fixed form.
    case stored
}
