import CSQLite
import Glibc
import Synchronization

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

/// The paths of drafts: new files that have no name yet, so that nothing is left of them if the process is killed.
///
/// A draft is opened with O_TMPFILE (<https://man7.org/linux/man-pages/man2/open.2.html>) and reached by the path of its
/// descriptor in `/proc`, which leads to no other file while the descriptor is open.
package enum DraftPath {
    private static let prefix = "/proc/self/fd/"
    /// The descriptors of the drafts that exist, with the paths that they are to get.
    private static let finalPaths = Mutex<[CInt: String]>([:])

    /// Creates a draft of the file at a path; nil if the file system of its folder has no files without a name, or if
    /// `/proc` isn't mounted.
    static func create(for path: String) -> CInt? {
        let descriptor = unsafe sealite_open_unnamed(FilePath.folder(of: path))
        guard descriptor >= 0 else { return nil }
        var (ours, found) = (stat(), stat())
        guard unsafe fstat(descriptor, &ours) == 0, unsafe stat(Self.path(of: descriptor), &found) == 0,
            ours.st_dev == found.st_dev, ours.st_ino == found.st_ino
        else {
            close(descriptor)
            return nil
        }
        finalPaths.withLock { paths in
            assert(paths[descriptor] == nil, "a draft is forgotten before its descriptor is closed")
            paths[descriptor] = path
        }
        return descriptor
    }

    /// Forgets a draft, whose descriptor is about to be closed.
    static func forget(_ descriptor: CInt) {
        let path = finalPaths.withLock { $0.removeValue(forKey: descriptor) }
        assert(path != nil, "a draft is forgotten once")
    }

    /// Returns the path that the draft at a path is to get, for messages; every other path unchanged.
    static func shown(_ path: String) -> String {
        guard let descriptor = descriptor(of: path) else { return path }
        return finalPaths.withLock { $0[descriptor] } ?? path
    }

    /// Returns the path by which a draft is reached.
    static func path(of descriptor: CInt) -> String { prefix + String(descriptor) }

    /// Returns the descriptor of the draft that a path leads to; nil for every other path.
    static func descriptor(of path: String) -> CInt? {
        guard path.hasPrefix(prefix), let descriptor = CInt(path.dropFirst(prefix.count)),
            path == Self.path(of: descriptor), finalPaths.withLock({ $0[descriptor] != nil })
        else { return nil }
        return descriptor
    }

    /// Creates a file without a name in the folder of the draft to which a path belongs, which may have the suffix of a
    /// journal or log. Nil if the path belongs to no draft, or if the file can't be created.
    static func createSidecar(of path: String) -> CInt? {
        let name = path.dropFirst(path.hasPrefix(prefix) ? prefix.count : path.count)
        guard let number = CInt(name.prefix { $0.isASCII && $0.isNumber }),
            let path = finalPaths.withLock({ $0[number] })
        else { return nil }
        let descriptor = unsafe sealite_open_unnamed(FilePath.folder(of: path))
        return descriptor >= 0 ? descriptor : nil
    }
}
