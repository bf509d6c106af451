import SealiteCrypto
import SealiteFile
import SealiteFileTestSupport
import SealiteTestSupport

extension Stage {
    /// What a scenario's second database is.
    enum Companion: String, CaseIterable {
        case sameKey = "the same key", otherKey = "another key", plain = "a plain file"
    }

    /// The sealing VFS on a disk in memory. The names stay registered, so each is good for one stage.
    static func sealed(_ name: String, beside companion: Companion = .sameKey) throws -> Stage {
        let disk = MemoryDisk()
        let vfs = try TestVFS(name: "\(name), below", disk: disk)
        let choice = VFSChoice(name: "\(name), sealed", base: vfs.name)
        let isPlain = { @Sendable (path: String) in companion == .plain && path.hasSuffix("other.db") }
        let keyOf: @Sendable (String) -> SecretBytes = { path in
            key(companion == .otherKey && path.hasSuffix("other.db") ? 8 : 7)
        }
        return Stage(
            disk: disk, vfs: vfs,
            prepare: { path, scenario in
                guard !isPlain(path) else { return }
                let modes: [String: AutoVacuum] = ["FULL": .full, "INCREMENTAL": .incremental]
                let options = CreationOptions(
                    pageSize: scenario.pageSize, autoVacuum: modes[scenario.autoVacuum] ?? .none)
                _ = try SealedDatabase.create(path, slot: .rawKey(keyOf(path)), options: options, vfs: choice)
            },
            open: { paths in
                // As a new process would: every time the header is read and the key unwrapped.
                let handles = try paths.filter { !isPlain($0) }.map {
                    try SealedDatabase.open($0, key: .rawKey(keyOf($0)), vfs: choice)
                }
                guard !isPlain(paths[0]) else { return try Connection(path: paths[0], vfs: vfs.name) }
                return try unsafe Connection(path: paths[0], vfs: choice.name, keeping: handles as AnyObject) {
                    unsafe SealedDatabase.failure(of: $0)?.reason
                }
            },
            attachment: { isPlain($0) ? "file:\($0)?vfs=\(vfs.name.replacing(" ", with: "%20"))&mode=rwc" : $0 })
    }

    private static func key(_ seed: UInt8) -> SecretBytes {
        let bytes = [UInt8](repeating: seed, count: 32)
        return unsafe SecretBytes(copying: bytes.span.bytes)
    }
}
