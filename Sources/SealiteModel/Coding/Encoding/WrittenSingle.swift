internal import SealiteJSON

/// The single-value container of the encoder of stored values.
struct WrittenSingle: SingleValueEncodingContainer {
    let encoder: StoredEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() throws {
        try encoder.beginSingle()
        encoder.output.writer.null()
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        try encoder.beginSingle()
        try encoder.writeBegun(value, encoder.plan, MemberKey(""))
    }
}
