import SealiteCrypto
import SealiteFile
import SealiteTestSupport

extension Stage {
    /// The sealing VFS on a disk in memory. The names stay registered, so each is good for one stage.
    static func sealed(_ name: String) throws -> Stage {
        let disk = MemoryDisk()
        let vfs = try TestVFS(name: "\(name), below", disk: disk)
        let choice = VFSChoice(name: "\(name), sealed", base: vfs.name)
        return Stage(
            disk: disk, vfs: vfs,
            prepare: { path, scenario in
                let modes: [String: AutoVacuum] = ["FULL": .full, "INCREMENTAL": .incremental]
                let options = CreationOptions(
                    pageSize: scenario.pageSize, autoVacuum: modes[scenario.autoVacuum] ?? .none)
                _ = try SealedDatabase.create(path, slot: .rawKey(key()), options: options, vfs: choice)
            },
            open: { paths in
                // As a new process would: every time the header is read and the key unwrapped.
                let handles = try paths.map { try SealedDatabase.open($0, key: .rawKey(key()), vfs: choice) }
                return try unsafe Connection(path: paths[0], vfs: choice.name, keeping: handles as AnyObject) {
                    unsafe SealedDatabase.failure(of: $0)?.reason
                }
            })
    }

    private static func key() -> SecretBytes {
        let bytes = [UInt8](repeating: 7, count: 32)
        return unsafe SecretBytes(copying: bytes.span.bytes)
    }
}
