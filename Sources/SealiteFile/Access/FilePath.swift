/// Splits paths as text, without looking at the file system.
package enum FilePath {
    /// Returns the path of the folder that contains a file, with a trailing slash: `./` for a path without a slash.
    package static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    }

    /// Returns the last component of a path: the text after the last slash, or the whole path if it has no slash.
    package static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
}
