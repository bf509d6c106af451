/// A step into an object or an array.
package enum PathStep: Sendable, Equatable {
    /// `.name`
    case name(String)
    /// `[2]`, counted from 0; negative numbers count from the end.
    case index(Int64)
    /// `[1:3]`: the elements from the first index up to, but without, the second; nil for the start or the end of the
    /// array.
    case slice(from: Int64?, to: Int64?)
}
