/// The VFS that a handle uses: the sealing VFS over the system's or, in tests, over another one.
package struct VFSChoice: Sendable {
    package let name: String
    package let base: String

    package init(name: String, base: String) {
        self.name = name
        self.base = base
    }

    package static let standard = VFSChoice(name: SealedVFS.name, base: "unix")

    package func register() throws(SealedFileError) { try SealedVFS.register(name: name, over: base) }

    /// Returns the URI of a path. https://sqlite.org/uri.html
    package func uri(_ path: String) -> String {
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
        // Without the folder, SQLite would open an in-memory database instead of the file of that name.
        var path = path == ":memory:" ? "./:memory:" : path
        // A URI's authority follows two slashes. Linux treats several slashes as one.
        if path.hasPrefix("//") { path = "/" + path.drop { $0 == "/" } }
        let escaped = path.utf8.map { byte in
            unreserved.contains(byte) ? String(UnicodeScalar(byte)) : "%" + [byte].hex.uppercased()
        }
        return "file:\(escaped.joined())?vfs=\(name)"
    }
}
