import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteTestSupport
import Testing

@Suite("logs of rotations")
struct RotationLogTests {
    private let log = CollectedLog()

    private func file(_ folder: TemporaryFolder) throws -> SealedDatabase {
        let path = folder.path + "/mArKeR-path.db"
        let slot = NewSlotSecret.passphrase(
            NewPassphrase(SecretBytes(copying: Array("mArKeR-passphrase".utf8)), cost: .init(logN: 4)))
        return try SealedDatabase.create(path, slot: slot)
    }

    @Test("a rotation tells its begin, stages and end with numbers, nothing of keys, and not which file")
    func rotation() throws {
        let folder = try TemporaryFolder()
        let sealed = try file(folder)
        try Database(file: sealed).defaultCollection().save(document: MutableDocument(id: "mArKeR", json: "{}"))
        let rotation = try KeyRotation(of: sealed)
        let report = try rotation.run(loggingTo: log.logger)
        #expect(log.count(of: "info key rotation begins", "resuming=false", "slots=1") == 1)
        #expect(log.count(of: "debug key rotation goes on", "stage=resealing") == 1)
        #expect(log.count(of: "info key rotation ended", "pages_resealed=\(report.pagesResealed)", "epoch=2") == 1)
        #expect(!log.lines.joined().contains("mArKeR"))
    }

    @Test("a rotation that is stopped is a warning, and one that finishes it says that it goes on")
    func stopped() throws {
        let folder = try TemporaryFolder()
        let sealed = try file(folder)
        #expect(throws: SealedFileError(.cancelled, "")) {
            try KeyRotation(of: sealed).run(loggingTo: log.logger) { _ in .stop }
        }
        #expect(log.count(of: "warning key rotation stopped", "code=cancelled") == 1)
        _ = try KeyRotation(of: sealed).finish(loggingTo: log.logger)
        #expect(log.count(of: "info key rotation begins", "resuming=true") == 1)
        #expect(log.count(of: "info key rotation ended", "resumed=true") == 1)
    }

    @Test("a rotation that can't begin is an error")
    func undecided() throws {
        let folder = try TemporaryFolder()
        let sealed = try file(folder)
        try sealed.addSlot(.rawKey(testKey(9)), label: "mArKeR-label")
        let rotation = try KeyRotation(of: sealed)
        #expect(throws: SealedFileError(.invalidArgument, "")) { try rotation.run(loggingTo: log.logger) }
        #expect(log.count(of: "error key rotation stopped", "code=invalid-argument") == 1)
        #expect(!log.lines.joined().contains("mArKeR"))
    }
}
