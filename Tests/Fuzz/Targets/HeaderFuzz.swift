import CSQLite
import Foundation
import SealiteCrypto

@testable import SealiteFile
@testable import SealiteMaintenance

/// The header region: 8192 bytes, or fewer.
final class HeaderFuzz: FuzzTarget {
    private let stage: FuzzStage
    private let original: HeaderRegion
    private let opened: SlotOpening.Opened
    /// The master keys of the golden files with a recovery slot, which only who has the recovery key can make.
    private let recoverable: [[UInt8]]
    private static let recoveryKey = [UInt8](repeating: 0x5A, count: 31) + [1]

    init() throws {
        stage = try FuzzStage("page")
        original = try HeaderRegion(parsing: Array((stage.files[""] ?? []).prefix(HeaderLayout.regionByteCount)))
        opened = try SlotOpening.open(
            original.content, with: .rawKey(secret(FuzzStage.key)), limits: UnlockLimits())
        let golden = FuzzStage.folder.deletingLastPathComponent().appending(path: "Golden")
        recoverable = try ["slot-recovery", "slots-twelve", "slot-recovery-rotated"].map { name in
            let bytes = [UInt8](try Data(contentsOf: golden.appending(path: name + ".db")).prefix(8192))
            return try Self.recover(try HeaderRegion(parsing: bytes)).master.exposed
        }
    }

    private static func recover(_ region: HeaderRegion) throws(SealedFileError) -> SlotOpening.Opened {
        let key = try RecoveryKey(privateKey: secret(recoveryKey))
        return try SlotOpening.open(region.content, with: .recoveryKey(key), limits: UnlockLimits())
    }

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard let first = input.first else { return }
        let mode = FuzzMode(rawValue: first)
        let bytes = mend(Array(input.dropFirst().prefix(HeaderLayout.regionByteCount)), mode)
        for copy in 0..<2 where bytes.count >= (copy + 1) * HeaderLayout.copyByteCount {
            try checkCopy(bytes.slice(copy * HeaderLayout.copyByteCount, HeaderLayout.copyByteCount))
        }
        if let region = try? HeaderRegion(parsing: bytes) { try check(region, mode) }
        try checkRepair(bytes)
    }

    /// Makes checksums fit, and MACs where the input is a key holder's.
    private func mend(_ bytes: [UInt8], _ mode: FuzzMode) -> [UInt8] {
        guard !mode.isDisjoint(with: [.sealed, .checksums]) else { return bytes }
        var mended = bytes
        for start in stride(from: 0, through: bytes.count - HeaderLayout.copyByteCount, by: HeaderLayout.copyByteCount)
        {
            if mode.contains(.sealed) {
                let text = mended.slice(start, HeaderLayout.authenticationCode)
                let code = try? opened.master.authenticationCode(for: text)
                mended.write(code ?? [], at: start + HeaderLayout.authenticationCode)
            }
            let sum = try? SHA256.digest(of: mended.slice(start, HeaderLayout.checksum))
            mended.write(Array((sum ?? []).prefix(HeaderLayout.checksumByteCount)), at: start + HeaderLayout.checksum)
        }
        return mended
    }

    private func checkCopy(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let image = try? HeaderImage(parsing: bytes) else { return }
        var encoded = image.content.encodedWithoutCodes()
        for codes in [HeaderLayout.authenticationCode..<HeaderLayout.zeroD.lowerBound, HeaderLayout.checksum..<4096] {
            encoded.write(bytes.slice(codes.lowerBound, codes.count), at: codes.lowerBound)
        }
        try BrokenProperty.unless(encoded == bytes, "a header copy parses and re-encodes to other bytes")
        for slot in image.content.slots.compactMap({ $0 }) {
            let again = try? KeySlot.parse(slot.encoded())
            try BrokenProperty.unless(again == slot, "a key slot parses and re-encodes to another")
            // Before anything is allocated for it.
            try? slot.cost?.check(memoryLimit: UnlockLimits().kdfMemoryLimit)
        }
    }

    private func check(_ region: HeaderRegion, _ mode: FuzzMode) throws(BrokenProperty) {
        _ = PublicHeader(region)
        let found = try? SlotOpening.open(
            region.content, with: .rawKey(secret(FuzzStage.key)), limits: UnlockLimits())
        if let found { _ = try? KeyRing(opened: found, region: region, path: "fuzz") }
        if let found = try? Self.recover(region) {
            _ = try? KeyRing(opened: found, region: region, path: "fuzz")
            try BrokenProperty.unless(
                recoverable.contains(found.master.exposed),
                "a recovery slot that was made without the recovery key opens")
        }
        guard let ring = try? KeyRing(opened: opened, region: original, path: "fuzz") else { return }
        let followed = (try? ring.follow(region)) != nil
        guard followed, !mode.contains(.sealed), region.content.generation > original.content.generation else { return }
        // Nobody without the key can make a header of a newer generation that is followed.
        throw BrokenProperty("a header that was made without the key is followed")
    }

    /// Repair starts from whatever the two copies are, and leaves two that are good.
    private func checkRepair(_ bytes: [UInt8]) throws(BrokenProperty) {
        stage.lay(bytes, as: "")
        let flags = SQLITE_OPEN_READWRITE
        guard let handle = try? BaseHandle(FuzzStage.path, vfs: stage.database.vfs.base, flags: flags),
            let copies = try? HeaderCopies(handle.file)
        else { return }
        for wanted in [nil, 0, 1] {
            let key = UnlockKey.rawKey(secret(FuzzStage.key))
            guard let kept = try? copies.authentic(key: key, limits: UnlockLimits(), only: wanted),
                let content = try? kept.image.content.succeeding(copies.whole, master: kept.opened.master),
                let single = try? HeaderRegion(parsing: kept.image.bytes + kept.image.bytes),
                let ring = try? KeyRing(opened: kept.opened, region: single, path: "fuzz"),
                (try? copies.replace(
                    with: SavedHeader(content: kept.image.content, ring: ring), on: handle.file, keeping: kept.copy))
                    != nil
            else { continue }
            let region = try? BaseHandle.readHeader(FuzzStage.path, vfs: stage.database.vfs.base)
            try BrokenProperty.unless(region?.content == content, "a repaired header doesn't read as it was written")
        }
    }
}

extension MasterKey {
    fileprivate var exposed: [UInt8] { unsafe key.withUnsafeBytes { unsafe Array($0) } }
}
