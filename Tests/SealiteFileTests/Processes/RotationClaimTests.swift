import Foundation
import Glibc
import SealiteCrypto
import SealiteFileTestSupport
import SealiteMaintenance
import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("two rotators")
struct RotationClaimTests {
    private let folder: Folder
    private let child = ChildProcess.buildFolder + "/SealiteTestChild"

    init() throws { folder = try Folder() }

    private func makeDatabase(_ mode: String) throws {
        try folder.create(mode: mode, pageSize: 4096, rows: 0).connect().execute(
            """
            CREATE TABLE bulk(id INTEGER PRIMARY KEY, body BLOB);
            WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 500)
            INSERT INTO bulk SELECT x, randomblob(3900) FROM n
            """)
    }

    @Test(
        "the second, of the same process or another, is told that one is under way, and changes nothing",
        arguments: ["WAL", "DELETE"])
    func second(mode: String) throws {
        try makeDatabase(mode)
        let database = try folder.open()
        let process = try ChildProcess(child)
        #expect(try process.answer("open c \(folder.file("a.db")) 7") == [])
        var answers: [[String]] = []
        let report = try KeyRotation(of: database).run { progress in
            guard answers.isEmpty, progress.stage == .resealing else { return .proceed }
            #expect(throws: SealedFileError(.rotationUnderWay, "")) { try KeyRotation(of: database).run() }
            answers.append((try? process.answer("rotate c")) ?? [])
            return .proceed
        }
        #expect(answers.first?.first?.hasPrefix("error rotation-under-way: ") == true, "\(answers)")
        #expect(!report.wasResumed && report.epoch == 2)
        #expect(folder.names.filter { $0.hasSuffix("-rotate") } == [])
        // And then it may.
        #expect(try process.answer("rotate c") == ["begun", "3|false"])
        #expect(try database.verify().isSound)
    }

    @Test("a claim ends with its rotation, though a child that is just being started has the file open too")
    func inheritedClaim() throws {
        try makeDatabase("DELETE")
        let path = folder.file("a.db")
        // A descriptor that shares the open file, as a child has it between fork and exec.
        var inherited: CInt = -1
        do {
            let claim = try #require(try RotationClaim(on: path, vfs: VFSChoice.standard.base))
            // Tests beside this one may have hundreds of files open.
            for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") where inherited < 0 {
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
                if target == RotationSidecar.path(of: path), let descriptor = CInt(name) { inherited = dup(descriptor) }
            }
            withExtendedLifetime(claim) {}
        }
        #expect(inherited >= 0)
        defer { close(inherited) }
        #expect(try RotationClaim(on: path, vfs: VFSChoice.standard.base) != nil)
    }

    @Test("a rotator that was killed leaves no claim")
    func killed() throws {
        try makeDatabase("DELETE")
        let process = try ChildProcess(child)
        #expect(try process.answer("open c \(folder.file("a.db")) 7") == [])
        try process.send("rotate c")
        #expect(try process.line() == "begun")
        process.kill()
        process.wait()
        let database = try folder.open()
        _ = try KeyRotation(of: database).run()
        #expect(try database.publicHeader().previousEpoch == nil && database.verify().isSound)
        #expect(folder.names == ["a.db"])
    }

    @Test("the rotation that follows a resumed one keeps others out as well")
    func afterResumption() throws {
        try makeDatabase("DELETE")
        let database = try folder.open()
        #expect(failureCode { _ = try KeyRotation(of: database).run { _ in .stop } } == .cancelled)
        let interrupted = database.ring.content.masterID
        var codes: [SealedFileError.Code?] = []
        let report = try KeyRotation(of: database).run { progress in
            guard codes.isEmpty, progress.stage == .resealing, database.ring.content.masterID != interrupted else {
                return .proceed
            }
            codes.append(failureCode { _ = try KeyRotation(of: database).run() })
            return .proceed
        }
        #expect(codes == [.rotationUnderWay])
        #expect(report.wasResumed && report.epoch == 3)
        #expect(folder.names == ["a.db"])
    }

    @Test("a rotation through a symbolic link keeps out one by the file's own name, and leaves nothing beside the link")
    func symbolicLink() throws {
        try makeDatabase("DELETE")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link.db"), withDestinationPath: folder.file("a.db"))
        let database = try folder.open()
        var codes: [SealedFileError.Code?] = []
        _ = try KeyRotation(of: try folder.open("link.db")).run { progress in
            guard codes.isEmpty, progress.stage == .resealing else { return .proceed }
            codes.append(failureCode { _ = try KeyRotation(of: database).run() })
            return .proceed
        }
        #expect(codes == [.rotationUnderWay])
        #expect(folder.names == ["a.db", "link.db"])
        #expect(try database.verify().isSound)
    }

    @Test(
        "the end of a rotation that was ended elsewhere changes nothing of the rotation that follows",
        arguments: ["WAL", "DELETE"])
    func endOfAnother(mode: String) throws {
        try makeDatabase(mode)
        let database = try folder.open()
        #expect(failureCode { _ = try KeyRotation(of: database).run { _ in .stop } } == .cancelled)
        let scanned = database.ring.content.masterID
        let other = try folder.open()
        let code = failureCode {
            _ = try KeyRotation(of: other).run { _ in
                other.ring.content.masterID == scanned ? .proceed : .stop
            }
        }
        #expect(code == .cancelled)
        let before = try BaseHandle.readHeader(database.path, vfs: "unix").content
        #expect(before.rotation != nil && before.masterID != scanned)
        do {
            let worker = RotationWorker(
                database: database, connection: try database.connect(), busyTimeout: .seconds(1), pace: RotationPace())
            try worker.end(scanned)
        }
        #expect(try BaseHandle.readHeader(database.path, vfs: "unix").content == before)
        #expect(folder.names.contains("a.db-rotate"))
        #expect(try KeyRotation(of: database).finish().epoch == 3)
        #expect(try database.verify().isSound)
    }

    @Test("a rotator that is refused leaves no sidecar")
    func refused() throws {
        try makeDatabase("DELETE")
        let database = try folder.open()
        try database.addSlot(.rawKey(rawKey(9)))
        #expect(throws: SealedFileError(.invalidArgument, "")) { try KeyRotation(of: database).run() }
        #expect(folder.names == ["a.db"])
    }
}
