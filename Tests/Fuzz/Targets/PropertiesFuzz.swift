@testable import SealiteProtocol

/// The beginning of a BLIP message: its properties, which may arrive in any pieces.
///
/// The first byte says in pieces of how many bytes the rest arrives.
final class PropertiesFuzz: FuzzTarget {
    init() throws {}

    private static let limit = 4_096

    /// The outcome of reading: properties and the rest, an error, or nothing yet.
    private enum Reading: Equatable {
        case read(BLIPProperties, rest: [UInt8])
        case refused(BLIPError)
        case waiting
    }

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard let first = input.first else { return }
        let bytes = Array(input.dropFirst())
        let whole = Self.read(bytes, pieceByteCount: max(1, bytes.count))
        let pieces = Self.read(bytes, pieceByteCount: max(1, Int(first)))
        try BrokenProperty.unless(whole == pieces, "properties in pieces of \(first) bytes read otherwise")
        guard case .read(let properties, let rest) = whole else { return }
        try BrokenProperty.unless(properties.byteCount <= Self.limit, "properties over the limit are taken")
        let again = properties.encoded()
        // The length may have been written longer than it must be; what follows is the same.
        let tail = Array(again.suffix(properties.byteCount)) + rest
        try BrokenProperty.unless(bytes.suffix(tail.count) == tail[...], "properties are read and written otherwise")
        try BrokenProperty.unless(
            Self.read(again, pieceByteCount: 1) == .read(properties, rest: []), "written properties read otherwise")
        for pair in properties.pairs {
            try BrokenProperty.unless(properties[pair.name] == pair.value, "a property has another's value")
        }
        _ = BLIPErrorReply(properties: properties, body: rest)
    }

    private static func read(_ bytes: [UInt8], pieceByteCount: Int) -> Reading {
        var message = BLIPIncoming(flags: BLIPFlags(.request), isStreamed: false)
        for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
            let piece = Array(bytes[start..<min(bytes.count, start + pieceByteCount)])
            do throws(BLIPError) {
                try message.append(piece, wireByteCount: UInt64(piece.count), propertiesLimit: limit)
            } catch {
                return .refused(error)
            }
        }
        return message.properties.map { .read($0, rest: message.buffer) } ?? .waiting
    }
}
