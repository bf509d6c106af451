internal import SealiteCrypto

/// Assembles a record, the stored form of a credential, in memory that is wiped: text that isn't secret around one
/// secret.
enum RecordWriter {
    enum Piece {
        /// Text that isn't secret and is valid JSON without escaping.
        case text(String)
        /// The secret, whose bytes need no escapes.
        case secret
        /// The secret in Base64.
        case base64Secret

        func byteCount(secretByteCount: Int) -> Int {
            switch self {
            case .text(let text): text.utf8.count
            case .secret: secretByteCount
            case .base64Secret: Base64.encodedByteCount(secretByteCount)
            }
        }
    }

    static func write(_ pieces: [Piece], _ secret: borrowing SecretBytes) -> SecretBytes {
        let total = pieces.reduce(0) { $0 + $1.byteCount(secretByteCount: secret.byteCount) }
        return unsafe SecretBytes(byteCount: total) { output in
            unsafe secret.withUnsafeBytes { secretBytes in
                var position = 0
                for piece in pieces {
                    let count = piece.byteCount(secretByteCount: secretBytes.count)
                    let place = unsafe UnsafeMutableRawBufferPointer(rebasing: output[position..<position + count])
                    switch piece {
                    case .text(let text): unsafe place.copyBytes(from: text.utf8)
                    case .secret: unsafe place.copyMemory(from: secretBytes)
                    case .base64Secret: unsafe Base64.encode(secretBytes, into: place)
                    }
                    position += count
                }
            }
        }
    }
}
