internal import SealiteBase

/// A value of a row in the form that printers write.
enum RowCell: Sendable {
    /// No value: SQL's NULL, or a SQL++ column that is MISSING.
    case none
    /// A number as JSON text.
    case number(String)
    case text(String)
    /// SQL++'s NULL, true, false, an array or an object, as JSON text.
    case json(String)
    case blob([UInt8])

    /// The value as JSON, `null` if there is none. Blobs are `{"base64":…}`, to distinguish them from texts.
    var value: JSONValue {
        switch self {
        case .none: .null
        case .number(let text): .number(text)
        case .json(let text): .json(text)
        case .text(let text): .text(text)
        case .blob(let bytes): .object([("base64", .text(Base64.encode(bytes)))])
        }
    }
}

extension RowCell: Hashable {
    private var kind: Int {
        switch self {
        case .none: 0
        case .number: 1
        case .text: 2
        case .json: 3
        case .blob: 4
        }
    }

    private var bytes: [UInt8] {
        switch self {
        case .none: []
        case .number(let text), .text(let text), .json(let text): Array(text.utf8)
        case .blob(let bytes): bytes
        }
    }

    /// Returns whether two cells are equal. Texts are compared byte by byte: canonically equivalent ones are different
    /// values.
    static func == (left: RowCell, right: RowCell) -> Bool { left.kind == right.kind && left.bytes == right.bytes }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(bytes)
    }
}
