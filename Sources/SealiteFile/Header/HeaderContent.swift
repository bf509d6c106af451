/// The content of one header copy, apart from its MAC and checksum. `Documentation/FORMAT.md` §4.
package struct HeaderContent: Equatable, Sendable {
    package var pageSize: Int
    package var databaseID: [UInt8]
    package var masterID: [UInt8]
    package var generation: UInt64
    package var freshness: UInt64
    package var epoch: EpochRecord
    package var rotation: RotationRecord?
    /// The 12 key slots of the header; nil for an empty slot.
    package var slots: [KeySlot?]
    /// The application key, from which the layers above the file derive keys, wrapped under the current master key; nil
    /// in files that were created without one.
    package var applicationKey: WrappedKey?
}

extension HeaderContent {
    /// Parses a header copy of 4096 bytes whose checksum is valid. Throws for any field value that this version doesn't
    /// know.
    static func parse(_ bytes: [UInt8]) throws(HeaderDefect) -> HeaderContent {
        let version = bytes.readUInt32(at: HeaderLayout.version)
        guard version == HeaderLayout.formatVersion else { throw .unsupported("format version \(version)") }
        let cipher = bytes.readUInt32(at: HeaderLayout.cipher)
        guard cipher == HeaderLayout.cipherXAES256GCM else { throw .unsupported("cipher \(cipher)") }
        let pageSize = Int(bytes.readUInt32(at: HeaderLayout.pageSize))
        guard SealedPageSize.isValid(pageSize) else {
            throw .damaged("a page size of \(pageSize) bytes, which isn't a power of two from 1024 to 65536")
        }
        let generation = bytes.readUInt64(at: HeaderLayout.generation)
        guard generation != 0 else { throw .damaged("a generation number of 0, which no header has") }
        for zeros in [HeaderLayout.zeroA, HeaderLayout.zeroB, HeaderLayout.zeroC, HeaderLayout.zeroD] {
            guard bytes.isZero(zeros) else { throw .damaged("other bytes than zeros where the format requires zeros") }
        }
        return HeaderContent(
            pageSize: pageSize,
            databaseID: bytes.slice(HeaderLayout.databaseID, 16),
            masterID: bytes.slice(HeaderLayout.masterID, 16),
            generation: generation,
            freshness: bytes.readUInt64(at: HeaderLayout.freshness),
            epoch: try parseEpoch(bytes, at: HeaderLayout.epochRecord, epochField: HeaderLayout.epoch),
            rotation: try parseRotation(bytes),
            slots: try parseSlots(bytes),
            applicationKey: parseApplicationKey(bytes))
    }

    private static func parseApplicationKey(_ bytes: [UInt8]) -> WrappedKey? {
        let record = bytes.slice(HeaderLayout.applicationKey, WrappedKey.byteCount)
        return record.isZero(0..<record.count) ? nil : WrappedKey(bytes: record)
    }

    private static func parseEpoch(
        _ bytes: [UInt8], at offset: Int, epochField: Int
    ) throws(HeaderDefect) -> EpochRecord {
        let epoch = bytes.readUInt32(at: offset)
        guard epoch != 0, epoch == bytes.readUInt32(at: epochField), bytes.readUInt32(at: offset + 4) == 0 else {
            throw .damaged("a record of a page key that is invalid or contradicts another field of the header")
        }
        return EpochRecord(epoch: epoch, wrapped: WrappedKey(bytes: bytes.slice(offset + 8, WrappedKey.byteCount)))
    }

    private static func parseRotation(_ bytes: [UInt8]) throws(HeaderDefect) -> RotationRecord? {
        switch bytes.readUInt32(at: HeaderLayout.rotationState) {
        case 0:
            let unused = [
                bytes.slice(HeaderLayout.previousEpoch, 4 + 16),
                bytes.slice(HeaderLayout.previousEpochRecord, HeaderLayout.epochRecordByteCount),
                bytes.slice(HeaderLayout.bridge, HeaderLayout.bridgeByteCount),
            ]
            guard unused.allSatisfy({ $0.isZero(0..<$0.count) }) else {
                throw .damaged("other bytes than zeros in the fields of a key rotation, although none is under way")
            }
            return nil
        case 1:
            return RotationRecord(
                previousMasterID: bytes.slice(HeaderLayout.previousMasterID, 16),
                previousEpoch: try parseEpoch(
                    bytes, at: HeaderLayout.previousEpochRecord, epochField: HeaderLayout.previousEpoch),
                bridge: WrappedKey(bytes: bytes.slice(HeaderLayout.bridge, WrappedKey.byteCount)))
        case let state:
            throw .unsupported("rotation state \(state)")
        }
    }

    private static func parseSlots(_ bytes: [UInt8]) throws(HeaderDefect) -> [KeySlot?] {
        var slots: [KeySlot?] = []
        for index in 0..<HeaderLayout.slotCount {
            slots.append(
                try KeySlot.parse(
                    bytes.slice(HeaderLayout.slots + index * HeaderLayout.slotByteCount, HeaderLayout.slotByteCount)))
        }
        let used = slots.compactMap { $0 }
        guard !used.isEmpty else { throw .damaged("no key slot") }
        guard Set(used.map(\.id)).count == used.count else { throw .damaged("two key slots with the same id") }
        let labels = used.map(\.label).filter { !$0.isEmpty }
        guard Set(labels).count == labels.count else { throw .damaged("two key slots with the same label") }
        return slots
    }

    /// Returns the copy's 4096 bytes with zeros in place of the MAC and the checksum, which `HeaderImage` fills in.
    func encodedWithoutCodes() -> [UInt8] {
        precondition(databaseID.count == 16 && masterID.count == 16, "another length would overwrite the next field")
        precondition(slots.count == HeaderLayout.slotCount, "further slots would overwrite the fields that follow")
        assert(SealedPageSize.isValid(pageSize))
        assert(slots.contains { $0 != nil }, "a header without a slot opens by no secret")
        var bytes = [UInt8](repeating: 0, count: HeaderLayout.copyByteCount)
        bytes.write(HeaderLayout.magic, at: 0)
        bytes.write(HeaderLayout.formatVersion, at: HeaderLayout.version)
        bytes.write(UInt32(pageSize), at: HeaderLayout.pageSize)
        bytes.write(databaseID, at: HeaderLayout.databaseID)
        bytes.write(masterID, at: HeaderLayout.masterID)
        bytes.write(generation, at: HeaderLayout.generation)
        bytes.write(freshness, at: HeaderLayout.freshness)
        bytes.write(HeaderLayout.cipherXAES256GCM, at: HeaderLayout.cipher)
        bytes.write(epoch.epoch, at: HeaderLayout.epoch)
        bytes.write(epoch.encoded, at: HeaderLayout.epochRecord)
        if let rotation {
            precondition(rotation.previousMasterID.count == 16, "another length would overwrite the next field")
            assert(rotation.previousMasterID != masterID, "a rotation has another master key")
            assert(rotation.previousEpoch.epoch < epoch.epoch, "a rotation has a later epoch")
            bytes.write(UInt32(1), at: HeaderLayout.rotationState)
            bytes.write(rotation.previousEpoch.epoch, at: HeaderLayout.previousEpoch)
            bytes.write(rotation.previousMasterID, at: HeaderLayout.previousMasterID)
            bytes.write(rotation.previousEpoch.encoded, at: HeaderLayout.previousEpochRecord)
            bytes.write(rotation.bridge.bytes, at: HeaderLayout.bridge)
        }
        for (index, slot) in slots.enumerated() {
            guard let slot else { continue }
            assert(slot.kind != .recovery || slot.wrappedSecret.count == 40, "a recovery slot holds its secret")
            bytes.write(slot.encoded(), at: HeaderLayout.slots + index * HeaderLayout.slotByteCount)
        }
        if let applicationKey { bytes.write(applicationKey.bytes, at: HeaderLayout.applicationKey) }
        return bytes
    }
}

/// The page key of one epoch, encrypted under the current master key. An epoch is the time between two key rotations,
/// numbered from 1.
package struct EpochRecord: Equatable, Sendable {
    package var epoch: UInt32
    package var wrapped: WrappedKey

    var encoded: [UInt8] {
        assert(epoch > 0, "epochs are numbered from 1")
        return [UInt8].littleEndian(epoch) + [0, 0, 0, 0] + wrapped.bytes
    }
}

/// The header's record of a rotation in progress: the page key of the previous epoch, wrapped under the new master key,
/// and the bridge, which is the new master key wrapped under the previous one.
package struct RotationRecord: Equatable, Sendable {
    package var previousMasterID: [UInt8]
    package var previousEpoch: EpochRecord
    package var bridge: WrappedKey
}

/// A key wrapped under another key: nonce, ciphertext and tag.
package struct WrappedKey: Equatable, Sendable {
    package var nonce: [UInt8]
    package var sealed: [UInt8]  // 32 bytes of text and the 16-byte tag

    static let byteCount = 72
    var bytes: [UInt8] {
        precondition(nonce.count == 24 && sealed.count == 48, "another length would overwrite the field that follows")
        return nonce + sealed
    }

    init(nonce: [UInt8], sealed: [UInt8]) {
        self.nonce = nonce
        self.sealed = sealed
    }

    init(bytes: [UInt8]) {
        assert(bytes.count == Self.byteCount)
        nonce = bytes.slice(0, 24)
        sealed = bytes.slice(24, 48)
    }
}

/// The page sizes that a sealed file may have.
public enum SealedPageSize {
    /// The default page size in bytes.
    public static let standard = 4096

    /// Returns whether a page size in bytes can be sealed: a power of two from 1024 to 65536.
    public static func isValid(_ byteCount: Int) -> Bool {
        (1024...65536).contains(byteCount) && byteCount & (byteCount - 1) == 0
    }
}

/// The reason why a header copy can't be used.
package enum HeaderDefect: Error, Equatable {
    /// The copy doesn't begin with the magic number of a sealed file.
    case notSealed
    /// The copy is cut short, or its checksum is invalid.
    case damaged(String)
    /// The checksum is valid, but a field has a value that no version of Sealite writes. A crash can't cause that:
    /// somebody wrote the copy deliberately.
    case illegal(String)
    /// A format version, cipher, key slot kind or other value that this version of Sealite doesn't know.
    case unsupported(String)
    /// A value of a format that was removed before the first release, which this version of Sealite knows by name only.
    case removed(String)
}
