internal import SealiteJSON

/// The single-value container of the decoder of stored values.
struct StoredSingle: SingleValueDecodingContainer {
    let decoder: StoredDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    @inline(__always)
    private func value<T>(_ read: (StoredElement) -> T?) throws -> T {
        guard let value = read(decoder.place) else { throw decoder.mismatch(T.self) }
        return value
    }

    func decodeNil() -> Bool { decoder.place.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try value(\.bool) }
    func decode(_ type: String.Type) throws -> String { try value(\.string) }
    func decode(_ type: Double.Type) throws -> Double { try value(\.double) }
    func decode(_ type: Float.Type) throws -> Float { try value(\.float) }
    func decode(_ type: Int.Type) throws -> Int { try value { $0.integer(type) } }
    func decode(_ type: Int8.Type) throws -> Int8 { try value { $0.integer(type) } }
    func decode(_ type: Int16.Type) throws -> Int16 { try value { $0.integer(type) } }
    func decode(_ type: Int32.Type) throws -> Int32 { try value { $0.integer(type) } }
    func decode(_ type: Int64.Type) throws -> Int64 { try value { $0.integer(type) } }
    func decode(_ type: UInt.Type) throws -> UInt { try value { $0.integer(type) } }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try value { $0.integer(type) } }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try value { $0.integer(type) } }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try value { $0.integer(type) } }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try value { $0.integer(type) } }
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try decoder.read(type, at: decoder.place, decoder.plan, nil)
    }
}
