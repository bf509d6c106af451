import Foundation
import SealiteTestSupport
import Testing

@Suite("test file systems")
struct TestVFSTests {
    private let script = """
        CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);
        INSERT INTO note VALUES (1, 'first'), (2, 'second')
        """

    @Test("two connections on a disk in memory exclude each other as SQLite asks", arguments: ["DELETE", "WAL"])
    func locks(journal: String) throws {
        let stage = try Stage.plain("locks, \(journal)")
        let (writer, reader) = (try stage.open(["/disk/a.db"]), try stage.open(["/disk/a.db"]))
        try writer.execute("PRAGMA journal_mode = \(journal); \(script)")
        try reader.execute("BEGIN")
        #expect(try reader.column("SELECT body FROM note") == ["first", "second"])

        try writer.execute("BEGIN IMMEDIATE; DELETE FROM note WHERE id = 1")
        #expect(throws: SQLFailure.self) { try stage.open(["/disk/a.db"]).execute("BEGIN IMMEDIATE") }
        if journal == "WAL" {
            try writer.execute("COMMIT")
            #expect(try reader.column("SELECT body FROM note") == ["first", "second"])
        } else {
            #expect(throws: SQLFailure.self) { try writer.execute("COMMIT") }
        }
        try reader.execute("COMMIT")
        if !writer.isAutocommit { try writer.execute("COMMIT") }
        #expect(try reader.column("SELECT body FROM note") == ["second"])
    }

    @Test("the writes recorded above the unix VFS make up the files on disk", arguments: ["PERSIST", "WAL"])
    func recording(journal: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "recording-\(journal)-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let vfs = try TestVFS(name: "recording, \(journal)", over: "unix")
        vfs.tap.record()
        let connection = try Connection(path: folder.appending(path: "a.db").path, vfs: vfs.name)
        try connection.execute("PRAGMA journal_mode = \(journal); \(script); DELETE FROM note WHERE id = 1")

        let replayed = vfs.tap.finishRecording().replayed()
        let onDisk = try DiskImage(folder: folder)
        let paths = onDisk.paths.filter { !$0.hasSuffix("-shm") }
        #expect(paths.count == 2)
        for path in paths { #expect(onDisk[path: path] == replayed[path: path]) }
    }

    @Test("a fault strikes the operation that was ordered, with the code that was ordered")
    func faults() throws {
        let stage = try Stage.plain("faults")
        let connection = try stage.open(["/disk/a.db"])
        stage.vfs.tap.arm(Fault(.error, number: 3, kinds: [.write], code: .full))
        #expect(throws: SQLFailure.self) { try connection.execute(script) }
        #expect(stage.vfs.tap.strikes == 1)
        stage.vfs.tap.disarm()
        try connection.execute(script)
        #expect(try connection.column("SELECT count(*) FROM note") == ["2"])
    }
}

extension [FileOperation] {
    /// The files that the recorded operations leave.
    fileprivate func replayed() -> DiskImage {
        var image = DiskImage()
        for operation in self {
            guard let path = operation.path else { continue }
            var bytes = image[path: path] ?? []
            let offset = Int(operation.offset)
            switch operation.kind {
            case .write:
                let end = Swift.max(offset + operation.byteCount, bytes.count)
                bytes += [UInt8](repeating: 0, count: end - bytes.count)
                bytes.replaceSubrange(offset..<(offset + operation.byteCount), with: operation.bytes)
                image[path: path] = bytes
            case .truncate: image[path: path] = [UInt8](bytes.prefix(offset))
            case .delete: image[path: path] = nil
            default: break
            }
        }
        return image
    }
}
