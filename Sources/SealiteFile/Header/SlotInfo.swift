public import SealiteCrypto

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
