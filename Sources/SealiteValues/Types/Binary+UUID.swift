internal import SealiteBase

extension Binary {
    /// The subtype of the bytes of a UUID: 4.
    public static let uuidSubtype: UInt8 = 4

    /// Creates the bytes of a UUID in the form of `8-4-4-4-12` hexadecimal digits; nil for any other text.
    public init?(uuid text: String) {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12],
            let bytes = Hexadecimal.bytes(of: String(decoding: groups.joined(), as: UTF8.self))
        else { return nil }
        self.init(bytes, subtype: Self.uuidSubtype)
    }

    /// The bytes as the text of a UUID with lowercase digits; nil if the subtype isn't 4 or there aren't 16 bytes.
    public var uuidText: String? {
        subtype == Self.uuidSubtype && bytes.count == 16 ? Hexadecimal.uuid(bytes) : nil
    }
}
