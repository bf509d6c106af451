/// The VFS through which a handle opens its file: the encrypting VFS, registered under `name`, on top of the VFS
/// `base`, which is SQLite's "unix" in the standard choice.
package struct VFSChoice: Sendable {
    package let name: String
    package let base: String

    package init(name: String, base: String) {
        self.name = name
        self.base = base
    }

    package static let standard = VFSChoice(name: SealedVFS.name, base: "unix")

    /// The choice for a draft, a new file without a name, that is sealed.
    private static let draft = VFSChoice(name: "sealite-draft", base: DraftVFS.name)

    /// Returns the choice by which SQLite reaches the file at a path: this one, or a corresponding one for a draft.
    package func reaching(_ path: String) -> VFSChoice {
        guard DraftPath.descriptor(of: path) != nil else { return self }
        // If SQLite refused to register a VFS, opening the file fails with its name.
        try? DraftVFS.register()
        try? Self.draft.register()
        return name == base ? VFSChoice(name: DraftVFS.name, base: DraftVFS.name) : .draft
    }

    package func register() throws(SealedFileError) { try SealedVFS.register(name: name, over: base) }

    /// Returns the URI with which SQLite opens a path through this VFS. https://sqlite.org/uri.html
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
