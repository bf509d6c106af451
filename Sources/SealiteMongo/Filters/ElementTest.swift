internal import SealiteValues

/// The conditions of `$elemMatch`, which one item of an array must fulfil.
struct ElementTest: Sendable {
    /// The conditions on an item.
    let tree: FilterTree
    /// A Boolean value that says whether the conditions are on the item's members, so that only an object or an array
    /// fulfils them; otherwise they are on the item itself.
    let isOnMembers: Bool
}
