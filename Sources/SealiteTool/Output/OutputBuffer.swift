internal import SealiteCrypto
import SealiteFile
import SealiteJSON

/// Buffers output, so that not every row needs a system call.
struct OutputBuffer {
    private var text = ""
    private static let limit = 1 << 16

    mutating func add(_ piece: String) {
        text += piece
        if text.utf8.count >= Self.limit { flush() }
    }

    mutating func flush() {
        if !text.isEmpty { Console.write(text) }
        text = ""
    }
}
