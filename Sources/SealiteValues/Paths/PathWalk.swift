/// The result of a traversal of a path.
@usableFromInline package struct PathWalk: Sendable {
    /// A Boolean value that says whether the visiting function ended the traversal by returning true.
    @usableFromInline package var isEnded: Bool
    /// A Boolean value that says whether there was an array on the path or at its end, before the traversal ended;
    /// false for an empty path, and for an array that was read as an object.
    @usableFromInline package var metArray: Bool

    @inlinable init(isEnded: Bool, metArray: Bool = false) { (self.isEnded, self.metArray) = (isEnded, metArray) }
}
