/// A step of a path into an object or an array.
package enum PathStep: Sendable, Equatable {
    /// The member of an object with a name: `.name`.
    case name(String)
    /// The item of an array with an index, counted from 0: `[2]`. Negative numbers count from the end.
    case index(Int64)
    /// The items of an array from the first index up to, but without, the second: `[1:3]`. Indexes count from 0, and
    /// negative ones from the end. Nil stands for the start or the end of the array.
    case slice(from: Int64?, to: Int64?)
    /// An object of arrays, made from an array of objects: `[*]`. It has a member for each name in the objects, with an
    /// item for each of them.
    case star

    /// A Boolean value that says whether the step leads to one value that is stored as it is: a member or an item.
    package var isPlain: Bool {
        switch self {
        case .name, .index: true
        case .slice, .star: false
        }
    }
}
