import SealiteJSON

/// The payload of a JSONB element, or a text, in bytes that are valid for the duration of a call of an SQL function.
@safe struct QueryBytes {
    /// The payload's bytes.
    let payload: UnsafeBufferPointer<UInt8>
    /// The element's type, one of `JSONBType`; a text has the type of a string.
    let type: UInt8

    init(_ payload: UnsafeBufferPointer<UInt8>, _ type: UInt8) {
        unsafe self.payload = payload
        self.type = type
    }

    /// The element, whose range is the whole payload.
    var element: JSONBElement { JSONBElement(type, payload: 0..<count) }
    /// The number of the payload's bytes.
    var count: Int { unsafe payload.count }
    /// The payload as text; invalid UTF-8 is replaced.
    var string: String { unsafe String(decoding: payload, as: UTF8.self) }
}
