/// A step into an object or an array.
package enum PathStep: Sendable, Equatable {
    /// `.name`
    case name(String)
    /// `[2]`; negative numbers count from the end.
    case index(Int64)
    /// `[1:3]`: the elements from the first index on and before the second.
    case slice(from: Int64?, to: Int64?)
}
