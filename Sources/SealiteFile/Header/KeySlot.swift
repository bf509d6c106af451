public import SealiteCrypto

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

/// The kind of secret that opens a key slot.
///
/// Every decision about a kind is an exhaustive `switch`, so that the compiler names the places that a new kind needs:
/// a kind is never treated as another one.
public enum SlotKind: UInt32, Sendable, CaseIterable {
    /// A passphrase, stretched by scrypt.
    case passphrase = 1
    /// 32 random bytes.
    case rawKey = 2
    /// An X25519 private key kept on paper; the header holds its public half. Writing such a slot takes the private key
    /// or, for a slot that the file already has, the file's master key.
    case recovery = 4

    /// The number of a kind that was removed before the first release: recovery slots that anyone who knew the public
    /// key could create. A header with such a slot is refused as a whole, and the number is never used again.
    static let removedRecovery: UInt32 = 3

    /// The name that the command line and JSON reports use.
    public var name: String {
        switch self {
        case .passphrase: "passphrase"
        case .rawKey: "raw-key"
        case .recovery: "recovery"
        }
    }

    /// The kind of secret, as in a sentence.
    package var secretName: String {
        switch self {
        case .passphrase: "passphrase"
        case .rawKey: "raw key"
        case .recovery: "recovery key"
        }
    }
}

/// The public description of a key slot, without its secret and without the wrapped master key.
public struct SlotInfo: Sendable, Equatable {
    /// The position of the slot in the header, counted from 1.
    public let number: Int
    /// 16 random bytes in hex that stay with the slot through rotation, backup and copies.
    public let id: String
    /// The kind of secret that opens the slot.
    public let kind: SlotKind
    /// The slot's label; empty if it has none.
    public let label: String
    /// The cost of scrypt for a passphrase slot; nil for slots of other kinds.
    public let cost: Scrypt.Cost?
    /// The fingerprint of a recovery slot's public key, 32 hex digits; nil for the other kinds. It distinguishes
    /// recovery slots without a label.
    public let fingerprint: String?
}

extension HeaderContent {
    /// The slots in use, in the order of their numbers.
    package var slotInfos: [SlotInfo] {
        slots.enumerated().compactMap { index, slot in
            slot.map {
                SlotInfo(
                    number: index + 1, id: $0.id.hex, kind: $0.kind, label: $0.label, cost: $0.cost,
                    fingerprint: $0.recoveryName.map { RecoveryKey.fingerprint(of: $0.publicKey) })
            }
        }
    }
}

extension SlotInfo: Codable {
    private enum CodingKeys: String, CodingKey {
        case number, id, kind, label, logN, r, p, fingerprint
    }

    /// Encodes the slot's fields: the kind by its name, the fingerprint and scrypt's parameters only for the kinds that
    /// have them.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(number, forKey: .number)
        try container.encode(id, forKey: .id)
        try container.encode(kind.name, forKey: .kind)
        try container.encode(label, forKey: .label)
        try container.encodeIfPresent(cost?.logN, forKey: .logN)
        try container.encodeIfPresent(cost?.r, forKey: .r)
        try container.encodeIfPresent(cost?.p, forKey: .p)
        try container.encodeIfPresent(fingerprint, forKey: .fingerprint)
    }

    /// Decodes a slot from the form that `encode(to:)` writes.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let name = try container.decode(String.self, forKey: .kind)
        guard let kind = SlotKind.allCases.first(where: { $0.name == name }) else {
            throw DecodingError.dataCorruptedError(
                forKey: .kind, in: container, debugDescription: "the kind of a key slot is unknown")
        }
        var cost: Scrypt.Cost?
        if let logN = try container.decodeIfPresent(Int.self, forKey: .logN) {
            cost = Scrypt.Cost(
                logN: logN, r: try container.decode(Int.self, forKey: .r), p: try container.decode(Int.self, forKey: .p)
            )
        }
        self.init(
            number: try container.decode(Int.self, forKey: .number), id: try container.decode(String.self, forKey: .id),
            kind: kind, label: try container.decode(String.self, forKey: .label), cost: cost,
            fingerprint: try container.decodeIfPresent(String.self, forKey: .fingerprint))
    }
}
