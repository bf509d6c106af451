/// The environment of scenarios: a disk, the tap on it, and the function that opens databases on it.
///
/// The function is the only difference between plain SQLite and the sealing VFS.
package struct Stage: Sendable {
    package let disk: MemoryDisk
    package let vfs: TestVFS
    /// The folder of the databases on the disk.
    package let folder: String
    /// Makes ready a file that isn't there yet; nothing to do for plain SQLite.
    package let prepare: @Sendable (_ path: String, _ scenario: Scenario) throws -> Void
    /// Opens the first of the databases, ready to attach the others.
    package let open: @Sendable (_ paths: [String]) throws -> Connection
    /// Returns the name to ATTACH for a path: the path itself, unless the second database differs in kind from the
    /// first.
    package let attachment: @Sendable (_ path: String) -> String

    package init(
        disk: MemoryDisk, vfs: TestVFS, folder: String = "/disk",
        prepare: @escaping @Sendable (_ path: String, _ scenario: Scenario) throws -> Void,
        open: @escaping @Sendable (_ paths: [String]) throws -> Connection,
        attachment: @escaping @Sendable (_ path: String) -> String = { $0 }
    ) {
        self.disk = disk
        self.vfs = vfs
        self.folder = folder
        self.prepare = prepare
        self.open = open
        self.attachment = attachment
    }

    /// Plain SQLite straight on a disk in memory, under a VFS of the given name.
    package static func plain(_ name: String) throws -> Stage {
        let disk = MemoryDisk()
        let vfs = try TestVFS(name: name, disk: disk)
        return Stage(
            disk: disk, vfs: vfs, prepare: { _, _ in }, open: { try Connection(path: $0[0], vfs: name) })
    }
}
