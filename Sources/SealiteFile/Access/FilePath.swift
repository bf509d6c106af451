/// The parts of a path, by its text alone.
package enum FilePath {
    /// The folder of a path with its trailing slash; "./" for a bare name.
    package static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    }

    /// The last part of a path.
    package static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
}
