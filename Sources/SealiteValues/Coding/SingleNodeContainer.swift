/// A container of a single value that is being encoded.
struct SingleNodeContainer: SingleValueEncodingContainer {
    let encoder: NodeEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() throws { encoder.node.content = .value(.null) }
    mutating func encode(_ value: Bool) throws { encoder.node.content = .value(.bool(value)) }
    mutating func encode(_ value: String) throws { encoder.node.content = .value(.string(value)) }
    mutating func encode(_ value: Double) throws { encoder.node.content = .value(.double(value)) }
    mutating func encode(_ value: Float) throws { encoder.node.content = .value(.double(Double(shortest: value))) }
    mutating func encode(_ value: Int) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: Int8) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: Int16) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: Int32) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: Int64) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: Int128) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: UInt) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: UInt8) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: UInt16) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: UInt32) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: UInt64) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: UInt128) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: some Encodable) throws { try encoder.write(value) }
}
