import CSQLite
import Foundation
import SealiteCrypto
import SealiteTestSupport
import Synchronization

@testable import SealiteFile

/// One committed database on a disk in memory, unlocked once. Each run lays hostile bytes over it or beside it and reads it
/// by real SQLite, through the VFS that production uses.
final class FuzzStage {
    static let path = "/fuzz.db"
    /// A test key, published on purpose.
    static let key = [UInt8](0..<32)
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/Fuzz")

    let disk = MemoryDisk(fileByteLimit: 8 << 20)
    let database: SealedDatabase
    /// The committed files by suffix: "", "-wal", "-journal".
    let files: [String: [UInt8]]
    let vfs: TestVFS
    private static let count = Atomic<Int>(0)

    /// Opens `Fixtures/Fuzz/databases/NAME.db` and what lies beside it.
    init(_ name: String) throws {
        var files: [String: [UInt8]] = [:]
        for suffix in ["", "-wal", "-journal"] {
            let file = Self.folder.appending(path: "databases/\(name).db\(suffix)")
            if let bytes = try? Data(contentsOf: file) { files[suffix] = [UInt8](bytes) }
        }
        self.files = files
        (vfs, database) = try Self.open(disk, files)
    }

    private static func open(
        _ disk: MemoryDisk, _ files: [String: [UInt8]]
    ) throws -> (TestVFS, SealedDatabase) {
        let number = count.add(1, ordering: .relaxed).newValue
        let vfs = try TestVFS(name: "fuzz-\(number)", disk: disk)
        // The sealing VFS can't be unregistered, so what it stands on must stay.
        _ = unsafe Unmanaged.passRetained(vfs)
        disk.load(image(files))
        let choice = VFSChoice(name: "sealite-fuzz-\(number)", base: vfs.name)
        return (vfs, try SealedDatabase.open(path, key: .rawKey(secret(key)), vfs: choice))
    }

    private static func image(_ files: [String: [UInt8]]) -> DiskImage {
        var image = DiskImage()
        for (suffix, bytes) in files { image[path: path + suffix] = bytes }
        return image
    }

    var pageSize: Int { database.pageSize }

    /// Puts the committed files back, one of them replaced.
    func lay(_ bytes: [UInt8], as suffix: String) {
        var changed = files
        changed[suffix] = bytes
        disk.load(Self.image(changed))
    }

    /// The outcome of reading every row.
    enum Reading: Equatable {
        case content([String])
        case refused(SealedFileError.Code)
    }

    /// Opens the database as a new connection, reads every row, and closes it, which carries a log into the file.
    func read() -> Reading {
        do throws(SealedFileError) {
            let connection = try database.connect(busyTimeout: .zero)
            var rows: [String] = []
            try connection.query("SELECT id, body FROM notes ORDER BY id") { (row) throws(SealedFileError) in
                rows.append((0..<row.columnCount).map { row.text($0) ?? "NULL" }.joined(separator: "|"))
            }
            return .content(rows)
        } catch {
            return .refused(error.code)
        }
    }

    // MARK: Sealing by hand

    /// Seals a text as a holder of the key could, under a fixed nonce: text, then the 48 bytes of the trailer.
    func seal(_ text: [UInt8], _ use: KeyUse, number: UInt32, pageOneSerial: UInt32 = 0, walHeader: [UInt8] = [])
        -> [UInt8]
    {
        var trailer = [UInt8](repeating: 0x5A, count: 24)
        trailer += [UInt8](repeating: 0, count: 16) + [UInt8].littleEndian(database.ring.currentEpoch)
        trailer += [UInt8].littleEndian(pageOneSerial)
        return apply(text + trailer, use, number: number, walHeader: walHeader, opening: false) ?? []
    }

    /// Opens what was sealed; nil where it doesn't authenticate.
    func open(_ sealed: [UInt8], _ use: KeyUse, number: UInt32, walHeader: [UInt8] = []) -> [UInt8]? {
        apply(sealed, use, number: number, walHeader: walHeader, opening: true)
    }

    /// Checks that an authentic text seals to the same bytes again under its own nonce.
    func requireSameBytes(
        _ sealed: [UInt8], _ use: KeyUse, number: UInt32, walHeader: [UInt8] = []
    ) throws(BrokenProperty) {
        guard let opened = open(sealed, use, number: number, walHeader: walHeader) else { return }
        let again = apply(opened, use, number: number, walHeader: walHeader, opening: false)
        try BrokenProperty.unless(again == sealed, "\(use) \(number) opens and seals to other bytes")
    }

    private func apply(
        _ bytes: [UInt8], _ use: KeyUse, number: UInt32, walHeader: [UInt8], opening: Bool
    ) -> [UInt8]? {
        guard bytes.count >= PageTrailer.byteCount else { return nil }
        let textByteCount = bytes.count - PageTrailer.byteCount
        let epoch = bytes.readUInt32(at: textByteCount + PageTrailer.epoch)
        let pageOneSerial = bytes.slice(textByteCount + PageTrailer.pageOneSerial, 4)
        guard let cipher = try? database.ring.cipher(epoch: epoch, use: use) else { return nil }
        let binding =
            database.ring.databaseID + [UInt8].littleEndian(use.rawValue) + [UInt8].littleEndian(number)
            + [UInt8].littleEndian(epoch) + pageOneSerial + walHeader
        var out = bytes
        let done = unsafe out.withUnsafeMutableBytes { (out) -> Bool in
            guard let start = out.baseAddress else { return false }
            let trailer = unsafe start + textByteCount
            return unsafe binding.withUnsafeBytes { (binding) -> Bool in
                guard opening else {
                    let sealed: ()? = try? unsafe cipher.seal(
                        start, byteCount: textByteCount, associatedData: binding, nonce: trailer, into: start,
                        tag: trailer + PageTrailer.tag)
                    return sealed != nil
                }
                let isAuthentic = try? unsafe cipher.open(
                    start, byteCount: textByteCount, associatedData: binding, nonce: trailer,
                    tag: trailer + PageTrailer.tag, into: start)
                return isAuthentic ?? false
            }
        }
        return done ? out : nil
    }
}

func secret(_ bytes: [UInt8]) -> SecretBytes {
    unsafe SecretBytes(byteCount: bytes.count) { unsafe $0.copyBytes(from: bytes) }
}
