internal import SealiteValues

/// The condition that some value at a path passes a test.
// A class, so that an evaluation doesn't copy its properties.
final class PathCondition: Sendable {
    let path: FilterPath
    let test: LeafTest
    /// The rest of the path within the `_id`, if the path begins with `_id`.
    let pathOfID: FilterPath
    /// A faster test for stored bodies, which doesn't decide every value; nil if there is none for this path and test.
    let direct: DirectTest?

    init(_ path: FilterPath, _ test: LeafTest) {
        (self.path, self.test, pathOfID, direct) = (path, test, path.tail, DirectTest(path, test))
    }
}
