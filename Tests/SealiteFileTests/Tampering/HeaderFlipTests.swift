import SealiteCrypto
import SealiteFileTestSupport
import SealiteMaintenance
import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("flipped bits in the header")
struct HeaderFlipTests {
    private let scratch: SealedScratch
    /// The distance of the bytes that are changed: each byte in the soak, else at least one of each field.
    private let step = Effort.current == .soak ? 1 : 3
    init() throws { scratch = try SealedScratch() }

    /// The kind of the only slot: with one slot of each kind, damage to one slot would go unnoticed.
    enum Kind: String, CaseIterable {
        case rawKey, passphrase
    }

    private func create(_ kind: Kind) throws -> [UInt8] {
        let options = CreationOptions(pageSize: 1024, label: "first")
        let cost = Scrypt.Cost(logN: 1, r: 1, p: 1)
        let database =
            switch kind {
            case .rawKey: try SealedDatabase.create(scratch.path("test.db"), slot: .rawKey(testKey()), options: options)
            case .passphrase:
                try SealedDatabase.create(
                    scratch.path("test.db"), slot: .passphrase(NewPassphrase(secret("x"), cost: cost)), options: options
                )
            }
        try database.connect().fillNotes(3)
        return try scratch.bytes("test.db")
    }

    private func open(_ kind: Kind) throws -> SealedDatabase {
        switch kind {
        case .rawKey: try scratch.open()
        case .passphrase: try SealedDatabase.open(scratch.path("test.db"), key: .passphrase(secret("x")))
        }
    }

    @Test(
        "if a bit is flipped in one copy of the header, the other counts",
        arguments: [(Kind.rawKey, 0), (.passphrase, 1)])
    func oneCopy(kind: Kind, copy: Int) throws {
        let bytes = try create(kind)
        let content = Outcome.reading { try open(kind) }
        guard case .content(let rows) = content, rows.count == 3 else { return #expect(Bool(false)) }
        for offset in stride(from: 4096 * copy, to: 4096 * (copy + 1), by: step) {
            try scratch.withFlippedBit("test.db", bytes, at: offset) {
                let outcome = Outcome.reading { try open(kind) }
                if outcome != content { Issue.record("byte \(offset): \(outcome)") }
            }
        }
    }

    @Test("if bits are flipped in both copies of the header, nothing is handed out", arguments: Kind.allCases)
    func bothCopies(kind: Kind) throws {
        let bytes = try create(kind)
        for offset in stride(from: 0, to: 4096, by: step) {
            try scratch.withFlippedBit("test.db", bytes, at: offset) {
                try scratch.withFlippedBit("test.db", bytes, at: offset + 4096) {
                    let outcome = Outcome.reading { try open(kind) }
                    let expected: SealedFileError.Code = offset < 8 ? .notSealed : .damagedHeader
                    if outcome != .refused(expected, page: nil) { Issue.record("byte \(offset): \(outcome)") }
                }
            }
        }
    }

    @Test(
        "if bits are flipped in both copies of the header with the checksum made to fit, nothing is handed out",
        arguments: Kind.allCases)
    func forged(kind: Kind) throws {
        let bytes = try create(kind)
        let copy = Array(bytes[0..<4096])
        var codes: Set<SealedFileError.Code> = []
        for offset in stride(from: 0, to: HeaderLayout.checksum, by: step) {
            let changed = try forgedCopy(copy) { $0[offset] ^= 1 << UInt8(offset % 8) }
            try scratch.patch("test.db", at: 0, changed + changed)
            guard case .refused(let code, _) = Outcome.reading({ try open(kind) }) else {
                Issue.record("byte \(offset) was accepted")
                continue
            }
            codes.insert(code)
        }
        #expect(codes.isSuperset(of: [.notSealed, .damagedHeader, .tamperedHeader, .unsupportedVersion, .wrongKey]))
        #expect(
            codes.isSubset(of: [
                .notSealed, .damagedHeader, .tamperedHeader, .unsupportedVersion, .wrongKey, .costRefused,
            ]))
    }

    @Test("in the copy that doesn't count with the checksum made to fit, the file is read and never written")
    func forgedOtherCopy() throws {
        let bytes = try create(.rawKey)
        let content = Outcome.reading { try open(.rawKey) }
        let older = try forgedCopy(Array(bytes[0..<4096])) { $0.write(UInt64(0x7F), at: HeaderLayout.freshness) }
        // The copy that counts has a higher generation; the older one is the forged one.
        let database = try open(.rawKey)
        try database.addSlot(.rawKey(testKey(9)))
        let newer = try scratch.bytes("test.db")
        for copy in 0...1 {
            var changed = newer
            changed.write(older, at: 4096 * copy)
            try scratch.write(changed, "test.db")
            #expect(Outcome.reading { try open(.rawKey) } == content)
            let forged = try open(.rawKey)
            let header = try forged.publicHeader()
            #expect(header.copies[copy] == .tampered)
            let error = #expect(throws: SealedFileError.self) { try forged.connect().execute("DELETE FROM notes") }
            #expect(error?.code == .tamperedHeader)
            #expect(throws: SealedFileError.self) { try forged.addSlot(.rawKey(testKey(10))) }
            let report = try forged.verify()
            #expect(report.findings.map(\.code) == [.tamperedHeader] && !report.isSound)
            #expect(try scratch.bytes("test.db") == changed)
        }
    }

    @Test(
        "a copy with a right checksum that breaks a rule of the format is tampered with, and isn't written anew",
        arguments: 0...1)
    func illegalCopy(copy: Int) throws {
        let bytes = try create(.rawKey)
        let content = Outcome.reading { try open(.rawKey) }
        let generations = HeaderLayout.generation..<HeaderLayout.generation + 8
        for offsets in [generations, HeaderLayout.zeroA, HeaderLayout.slots..<HeaderLayout.slots + 256] {
            let illegal = try forgedCopy(Array(bytes[0..<4096])) { header in
                let isZero = header[offsets].allSatisfy { $0 == 0 }
                for offset in offsets { header[offset] = isZero ? 1 : 0 }
            }
            var changed = bytes
            changed.write(illegal, at: 4096 * copy)
            try scratch.write(changed, "test.db")
            #expect(Outcome.reading { try open(.rawKey) } == content)
            let database = try open(.rawKey)
            #expect(try database.publicHeader().copies[copy] == .tampered)
            let error = #expect(throws: SealedFileError.self) { try database.connect().execute("DELETE FROM notes") }
            #expect(error?.code == .tamperedHeader)
            #expect(try database.verify().findings.map(\.code) == [.tamperedHeader])
            #expect(try scratch.bytes("test.db") == changed)
        }
    }

    @Test("a copy that is forged while a handle is open is kept, and the handle stops writing")
    func forgedWhileOpen() throws {
        let bytes = try create(.rawKey)
        let database = try open(.rawKey)
        try database.addSlot(.rawKey(testKey(9)))
        var changed = try scratch.bytes("test.db")
        changed.write(try forgedCopy(Array(bytes[0..<4096])) { $0[60] ^= 1 }, at: 0)
        try scratch.write(changed, "test.db")
        let error = #expect(throws: SealedFileError.self) { try database.connect().execute("DELETE FROM notes") }
        #expect(error?.code == .tamperedHeader)
        #expect(try scratch.bytes("test.db") == changed)
    }

    @Test(
        "both copies of the header forged alike while a handle is open: nothing of them gets into a header of ours",
        arguments: [Forgery.sameGeneration, .olderGeneration, .newerGeneration])
    func forgedAlikeWhileOpen(forgery: Forgery) throws {
        _ = try create(.rawKey)
        let database = try open(.rawKey)
        try database.addSlot(.rawKey(testKey(9)))
        let stranger = try RecoveryKey()
        let forged = try forgery.header(of: try scratch.bytes("test.db"), recoveryKey: stranger)
        try scratch.patch("test.db", at: 0, forged + forged)
        let bytes = try scratch.bytes("test.db")
        let code = forgery == .olderGeneration ? SealedFileError.Code.rolledBack : .tamperedHeader
        #expect(failureCode { try database.addSlot(.rawKey(testKey(10))) } == code)
        #expect(failureCode { _ = try rotation(of: database).run() } == .tamperedHeader)
        #expect(try scratch.bytes("test.db") == bytes)
    }

    @Test("an old header put back while a handle is open is noticed before anything is written")
    func rolledBackWhileOpen() throws {
        _ = try create(.rawKey)
        let database = try open(.rawKey)
        let connection = try database.connect()
        #expect(try connection.integer("SELECT count(*) FROM notes") == 3)
        let old = Array(try scratch.bytes("test.db")[0..<8192])
        try database.addSlot(.rawKey(testKey(9)))
        try overwrite(connection, with: old)
        let bytes = try database.headerBytes()
        #expect(failureCode { try database.unlockAgain(key: .rawKey(testKey())) } == .rolledBack)
        #expect(failureCode { try connection.execute("DELETE FROM notes") } == .rolledBack)
        #expect(failureCode { try database.removeSlot(2) } == .rolledBack)
        #expect(try database.headerBytes() == bytes)
        #expect(try connection.integer("SELECT count(*) FROM notes") == 3)
    }

    @Test("a handle isn't unlocked again by a header of another page size")
    func otherPageSize() throws {
        _ = try create(.rawKey)
        let database = try open(.rawKey)
        var content = try BaseHandle.readHeader(database.path, vfs: "unix").content
        content.pageSize *= 2
        try content.raiseGeneration()
        let image = try HeaderImage(content, master: try database.ring.masterKey())
        try scratch.patch("test.db", at: 0, image.bytes + image.bytes)
        #expect(failureCode { try database.unlockAgain(key: .rawKey(testKey())) } == .fileReplaced)
    }

    /// Through the open connection's own file: closing a descriptor of the test's would drop SQLite's locks.
    private func overwrite(_ connection: RawConnection, with bytes: [UInt8]) throws {
        try connection.perform(
            FileTask { (file, _) throws(SealedFileError) in
                try SealedFileError.mapping { () throws(VFSFailure) in try check(file.base.write(bytes, at: 0)) }
            })
    }

    private func rotation(of database: SealedDatabase) throws(SealedFileError) -> KeyRotation {
        let rotation = try KeyRotation(of: database)
        try rotation.supply(.rawKey(testKey(9)))
        return rotation
    }

    /// A recovery slot that an attacker without the key adds to the header, and that a rotation would carry over.
    enum Forgery: CaseIterable {
        case sameGeneration, olderGeneration, newerGeneration

        func header(of file: [UInt8], recoveryKey: RecoveryKey) throws -> [UInt8] {
            var content = try HeaderImage(parsing: file.slice(0, 4096)).content
            let generation = content.generation
            content.generation =
                switch self {
                case .sameGeneration: generation
                case .olderGeneration: generation - 1
                case .newerGeneration: generation + 1
                }
            content.slots[5] = try SlotOpening.make(
                .recovery(recoveryKey), label: "", master: try MasterKey.random(), databaseID: content.databaseID
            ).slot
            return try forgedCopy(content.encodedWithoutCodes()) { _ in }
        }
    }
}

extension SealedDatabase {
    fileprivate func headerBytes() throws(SealedFileError) -> [UInt8] {
        let region = try BaseHandle.readHeader(path, vfs: vfs.base)
        return region.copies.flatMap { (try? $0.get())?.bytes ?? [] }
    }
}
