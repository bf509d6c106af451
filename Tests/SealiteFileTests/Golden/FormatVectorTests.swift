import Foundation
import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

@Suite("vectors of format 1")
struct FormatVectorTests {
    private let vectors: FormatVectors
    init() throws { vectors = try FormatVectors.load() }

    private func bytes(_ hex: String) -> [UInt8] { hexBytes(hex) }

    private func hex(_ secret: borrowing SecretBytes) -> String {
        unsafe secret.withUnsafeBytes { unsafe Array($0) }.hex
    }

    private func master() -> MasterKey {
        MasterKey(id: bytes(vectors.keys.masterID), key: secret(bytes(vectors.keys.master)))
    }

    /// Keys of both epochs, as a rotation under way has them.
    /// Returns the keys of the header of a rotation under way, which has those of two epochs, for pages of the vectors' size.
    private func ringOfPages() throws -> KeyRing {
        var content = try HeaderImage(parsing: bytes(vectors.headers[1].bytes)).content
        content.pageSize = vectors.wal.pageSize
        let image = try HeaderImage(content, master: master()).bytes
        let opened = SlotOpening.Opened(master: master(), kek: nil, slotID: [])
        return try KeyRing(opened: opened, region: try HeaderRegion(parsing: image + image), path: "vectors")
    }

    // MARK: Headers and slots

    @Test("header copies parse to the stated content and encode to the same bytes", arguments: [0, 1])
    func headers(index: Int) throws {
        let vector = vectors.headers[index]
        let image = try HeaderImage(parsing: bytes(vector.bytes))
        #expect(image.content.pageSize == vector.pageSize)
        #expect(image.content.generation == vector.generation && image.content.freshness == vector.freshness)
        #expect(image.content.databaseID.hex == vectors.keys.databaseID)
        #expect(image.content.epoch.epoch == vector.epoch.epoch)
        #expect(image.content.rotation?.previousEpoch.epoch == vector.previousEpoch?.epoch)
        #expect(image.content.rotation?.bridge.bytes.hex == vector.bridge.map { $0.nonce + $0.sealed + $0.tag })
        #expect(try image.isAuthentic(under: master()))
        #expect(try HeaderImage(image.content, master: master()).bytes.hex == vector.bytes)
    }

    @Test("the bridge of a rotation leads from the previous master key to the current one")
    func bridge() throws {
        let content = try HeaderImage(parsing: bytes(vectors.headers[1].bytes)).content
        let rotation = try #require(content.rotation)
        #expect(rotation.previousMasterID.hex == vectors.keys.previousMasterID)
        let previous = MasterKey(id: rotation.previousMasterID, key: secret(bytes(vectors.keys.previousMaster)))
        let crossed = try previous.cross(rotation.bridge, to: content.masterID, databaseID: content.databaseID)
        #expect(hex(crossed.key) == vectors.keys.master)
    }

    @Test("every kind of slot opens to the master key and encodes to the same bytes", arguments: 0..<3)
    func slots(index: Int) throws {
        let vector = vectors.slots[index]
        let slot = try #require(try KeySlot.parse(bytes(vector.bytes)))
        #expect(slot.kind.name == vector.kind && slot.label == vector.label)
        #expect(slot.encoded().hex == vector.bytes)
        #expect((slot.headerBytes + bytes(vectors.keys.masterID)).hex == vector.associatedData)
        let kek = SlotKEK(slotID: slot.id, key: secret(bytes(vector.kek)))
        #expect(try kek.checkValue(for: slot, masterID: bytes(vectors.keys.masterID)).hex == vector.checkValue)
        let content = try HeaderImage(parsing: bytes(vectors.headers[0].bytes)).content
        let opened =
            switch slot.kind {
            case .passphrase:
                try SlotOpening.open(content, with: .passphrase(secret(bytes(vector.secret))), limits: UnlockLimits())
            case .rawKey:
                try SlotOpening.open(content, with: .rawKey(secret(bytes(vector.secret))), limits: UnlockLimits())
            case .recovery:
                try SlotOpening.open(
                    content, with: .recoveryKey(RecoveryKey(privateKey: secret(bytes(vector.secret)))),
                    limits: UnlockLimits())
            }
        #expect(hex(opened.master.key) == vectors.keys.master && opened.slotID == slot.id)
        if let wrapped = vector.wrappedSecret { #expect(slot.wrappedSecret.hex == wrapped) }
        if let fingerprint = vector.fingerprint { #expect(RecoveryKey.fingerprint(of: slot.salt) == fingerprint) }
        if let paper = vector.paper { #expect(RecoveryKeyText.paper(bytes(vector.secret)) == paper) }
    }

    @Test("page keys and the keys made of them are the stated ones")
    func keys() throws {
        let content = try HeaderImage(parsing: bytes(vectors.headers[1].bytes)).content
        let keys = try content.pageKeys(master: master())
        #expect(keys.count == 2)
        for (epoch, key) in keys {
            let stated = try #require(vectors.keys.fromPageKeys["\(epoch)"])
            for (use, name) in [(KeyUse.main, "main"), (.wal, "wal"), (.journal, "journal"), (.sidecar, "sidecar")] {
                #expect(try hex(key.derive(use.label, databaseID: content.databaseID)) == stated[name])
            }
        }
    }

    @Test("a header that a reader must reject gives the stated error")
    func rejections() throws {
        let whole = bytes(vectors.headers[0].bytes)
        #expect(vectors.headerRejections.count >= 40)
        for vector in vectors.headerRejections {
            var copy = whole
            for change in vector.changes { copy.write(bytes(change.bytes), at: change.offset) }
            let error = #expect(throws: SealedFileError.self, "\(vector.name)") {
                _ = try HeaderRegion(parsing: copy + copy)
            }
            #expect(error?.code.rawValue == vector.expect, "\(vector.name): \(error?.reason ?? "")")
        }
    }

    @Test("a freshness record's MAC is the stated one under its application key, and nothing else of it can change")
    func freshness() throws {
        let key = ApplicationKey(key: secret(bytes(vectors.freshness.applicationKey)))
        let text = vectors.freshness.record
        let record = try FreshnessRecord(parsing: Array(text.utf8), path: "record")
        #expect(try record.isAuthentic(under: key))
        #expect(try !record.isAuthentic(under: nil))
        #expect(try !record.isAuthentic(under: ApplicationKey.random()))
        #expect(String(decoding: record.encoded(), as: UTF8.self) == text)
    }

    // MARK: Pages, frames, units

    private func open(
        _ vector: FormatVectors.Sealed, _ codec: PageCodec, number: UInt32
    ) throws -> (text: String, pageOneSerial: UInt32)? {
        var sealed = bytes(vector.sealed)
        let textByteCount = codec.textByteCount
        try #require(sealed.count == textByteCount + PageTrailer.byteCount)
        let opening = try unsafe sealed.withUnsafeMutableBytes { buffer in
            let start = try unsafe #require(buffer.baseAddress)
            return try unsafe codec.open(start, number: number)
        }
        guard case .opened(let pageOneSerial) = opening else { return nil }
        return (Array(sealed[0..<textByteCount]).hex, pageOneSerial)
    }

    @Test("pages open at their place, and at no other")
    func pages() throws {
        let codec = PageCodec(ring: try ringOfPages(), use: .main)
        for vector in vectors.pages {
            let opened = try #require(
                try open(vector, codec, number: vector.number))
            #expect(opened.text == vector.text && opened.pageOneSerial == vector.spare)
            #expect(
                try open(vector, codec, number: vector.number ^ 1) == nil)
        }
    }

    @Test("a WAL's header is the stated one, and its frames open under it")
    func wal() throws {
        let (plain, stored) = (bytes(vectors.wal.plainHeader), bytes(vectors.wal.storedHeader))
        #expect(WALHeader.sealed(fromPlain: plain) == stored)
        #expect(try WALHeader.plain(fromSealed: stored, pageSize: vectors.wal.pageSize) == plain)
        #expect(try WALHeader.plain(fromSealed: stored, pageSize: 4096) == [UInt8](repeating: 0, count: 32))
        let codec = PageCodec(ring: try ringOfPages(), use: .wal)
        unsafe stored.withUnsafeBytes { unsafe codec.bind(walHeader: $0) }
        var sums = (WALHeader.readUInt32(plain, at: 24), WALHeader.readUInt32(plain, at: 28))
        for vector in vectors.wal.frames {
            let opened = try #require(
                try open(vector, codec, number: vector.number))
            #expect(opened.text == vector.text && opened.pageOneSerial == vector.spare)
            let frame = bytes(vector.text) + [UInt8](repeating: 0, count: 48)
            #expect(WALHeader.readUInt32(frame, at: 0) == vector.pageNumber)
            #expect(WALHeader.readUInt32(frame, at: 4) == vector.commitPageCount)
            sums = WALChecksum.sums(frame[0..<8], from: sums, bigEndian: false)
            sums = WALChecksum.sums(frame[24...], from: sums, bigEndian: false)
            #expect(sums == (WALHeader.readUInt32(frame, at: 16), WALHeader.readUInt32(frame, at: 20)))
        }
    }

    @Test("a journal's preamble and units read as stated and encode to the same bytes")
    func journal() throws {
        let stated = JournalPreamble(id: bytes(vectors.journal.id), serial: vectors.journal.serial)
        #expect(JournalPreamble.read(bytes(vectors.journal.preamble)) == .whole(stated))
        #expect(try stated.encoded().hex == vectors.journal.preamble)
        let codec = PageCodec(ring: try ringOfPages(), use: .journal)
        for vector in vectors.journal.units {
            let opened = try #require(
                try open(vector, codec, number: vector.number))
            #expect(opened.text == vector.text)
            let front = Array(bytes(vector.text)[0..<JournalLayout.unitHeaderByteCount])
            let header = try #require(JournalUnitHeader.parse(front))
            #expect(header.encoded() == front)
            #expect(header.kind.rawValue == vector.kind && header.logicalOffset == vector.logicalOffset)
            #expect(header.payloadByteCount == vector.payloadByteCount && header.synced == vector.synced)
            #expect(header.id == stated.id && header.serial == stated.serial)
        }
    }

    @Test("sealing with a vector's nonce gives the vector's bytes")
    func sealing() throws {
        for vector in vectors.pages + vectors.wal.frames + vectors.journal.units {
            let cipher = try XAESCipher(key: secret(bytes(vector.key)))
            let (text, associatedData, nonce) = (bytes(vector.text), bytes(vector.associatedData), bytes(vector.nonce))
            var (sealed, tag) = ([UInt8](repeating: 0, count: text.count), [UInt8](repeating: 0, count: 16))
            try unsafe sealed.withUnsafeMutableBytes { out in
                try unsafe tag.withUnsafeMutableBytes { tag in
                    try unsafe text.withUnsafeBytes { text in
                        try unsafe nonce.withUnsafeBytes { nonce in
                            try unsafe associatedData.withUnsafeBytes { associatedData in
                                try unsafe cipher.seal(
                                    try #require(text.baseAddress), byteCount: text.count,
                                    associatedData: associatedData, nonce: try #require(nonce.baseAddress),
                                    into: try #require(out.baseAddress), tag: try #require(tag.baseAddress))
                            }
                        }
                    }
                }
            }
            let trailer = nonce + tag + [UInt8].littleEndian(vector.epoch) + [UInt8].littleEndian(vector.spare)
            #expect((sealed + trailer).hex == vector.sealed)
        }
    }
}
