package import SealiteCrypto

/// One key slot in its stored form in the header. `Documentation/FORMAT.md` §5.
package struct KeySlot: Equatable, Sendable {
    package var id: [UInt8]
    package var kind: SlotKind
    package var cost: Scrypt.Cost?
    package var label: String
    /// The salt; for a recovery slot, the recipient's public key.
    package var salt: [UInt8]
    package var nonce: [UInt8]
    package var wrapped: [UInt8]
    package var checkValue: [UInt8]
    package var encapsulatedKey: [UInt8]
    /// The recovery secret wrapped under the master key, 40 bytes; empty in slots of other kinds.
    /// `Documentation/FORMAT.md` §5.3.
    package var wrappedSecret: [UInt8] = []

    static let headerByteCount = 104
    static let wrappedByteCount = 48

    /// The slot's bytes 0 to 103 as stored, which are associated data of the wrapped key and input of the check value.
    var headerBytes: [UInt8] { Array(encoded()[0..<Self.headerByteCount]) }

    /// Parses the 256 bytes of one slot; nil if the slot is empty.
    static func parse(_ bytes: [UInt8]) throws(HeaderDefect) -> KeySlot? {
        assert(bytes.count == HeaderLayout.slotByteCount)
        let kindNumber = bytes.readUInt32(at: 16)
        guard kindNumber != 0 else {
            guard bytes.isZero(0..<bytes.count) else { throw .damaged("an unused key slot that isn't all zeros") }
            return nil
        }
        guard kindNumber != SlotKind.removedRecovery else {
            throw .removed("a recovery slot without proof of who made it (key slot kind \(kindNumber))")
        }
        guard let kind = SlotKind(rawValue: kindNumber) else { throw .unsupported("key slot kind \(kindNumber)") }
        let labelLength = Int(bytes.readUInt32(at: 36))
        guard labelLength <= HeaderLayout.labelByteCount else {
            throw .damaged("a key slot's label of \(labelLength) bytes, more than \(HeaderLayout.labelByteCount)")
        }
        let labelBytes = bytes.slice(40, labelLength)
        guard let label = String(validating: labelBytes, as: UTF8.self), !labelBytes.contains(0),
            bytes.isZero(40 + labelLength..<40 + HeaderLayout.labelByteCount)
        else { throw .damaged("a key slot's label that isn't UTF-8 padded with zeros") }
        var slot = KeySlot(
            id: bytes.slice(0, 16), kind: kind, cost: try parseCost(bytes, kind: kind), label: label,
            salt: bytes.slice(72, 32), nonce: bytes.slice(104, 24),
            wrapped: bytes.slice(128, wrappedByteCount), checkValue: bytes.slice(176, 32),
            encapsulatedKey: bytes.slice(208, 32))
        let rest = bytes.slice(240, 16)
        switch kind {
        case .recovery:
            slot.wrappedSecret = slot.nonce + rest
            slot.nonce = [UInt8](repeating: 0, count: slot.nonce.count)
        case .passphrase, .rawKey:
            guard rest.isZero(0..<rest.count) else {
                throw .damaged("other bytes than zeros after the fields of a key slot")
            }
            guard slot.encapsulatedKey.isZero(0..<slot.encapsulatedKey.count) else {
                throw .damaged("other bytes than zeros in a field that this kind of key slot doesn't use")
            }
        }
        return slot
    }

    private static func parseCost(_ bytes: [UInt8], kind: SlotKind) throws(HeaderDefect) -> Scrypt.Cost? {
        let kdf = bytes.readUInt32(at: 20)
        let (logN, r, p) = (bytes.readUInt32(at: 24), bytes.readUInt32(at: 28), bytes.readUInt32(at: 32))
        switch kind {
        case .rawKey, .recovery:
            guard kdf == 0, logN == 0, r == 0, p == 0 else { throw .unsupported("a KDF on a \(kind.name) slot") }
            return nil
        case .passphrase:
            guard kdf == 1 else { throw .unsupported("key derivation function \(kdf)") }
            guard (1...62).contains(logN), r >= 1, p >= 1 else {
                throw .damaged("a key slot's scrypt parameters out of range (log2 N \(logN), r \(r), p \(p))")
            }
            return Scrypt.Cost(logN: Int(logN), r: Int(r), p: Int(p))
        }
    }

    func encoded() -> [UInt8] {
        precondition(
            id.count == 16 && salt.count == 32 && nonce.count == 24 && wrapped.count == Self.wrappedByteCount
                && checkValue.count == 32 && encapsulatedKey.count == 32,
            "another length would overwrite the next field")
        precondition(label.utf8.count <= HeaderLayout.labelByteCount, "a longer label would overwrite the salt")
        assert((kind == .passphrase) == (cost != nil), "only a passphrase is stretched")
        assert(wrappedSecret.isEmpty || wrappedSecret.count == 40)
        var bytes = [UInt8](repeating: 0, count: HeaderLayout.slotByteCount)
        bytes.write(id, at: 0)
        bytes.write(kind.rawValue, at: 16)
        if let cost {
            bytes.write(UInt32(1), at: 20)
            bytes.write(UInt32(truncatingIfNeeded: cost.logN), at: 24)
            bytes.write(UInt32(truncatingIfNeeded: cost.r), at: 28)
            bytes.write(UInt32(truncatingIfNeeded: cost.p), at: 32)
        }
        bytes.write(UInt32(label.utf8.count), at: 36)
        bytes.write(Array(label.utf8), at: 40)
        bytes.write(salt, at: 72)
        bytes.write(nonce, at: 104)
        bytes.write(wrapped, at: 128)
        bytes.write(checkValue, at: 176)
        bytes.write(encapsulatedKey, at: 208)
        if !wrappedSecret.isEmpty {
            bytes.write(wrappedSecret.slice(0, 24), at: 104)
            bytes.write(wrappedSecret.slice(24, 16), at: 240)
        }
        return bytes
    }
}
