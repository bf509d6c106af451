import SealiteCrypto
import SealiteFileTestSupport

@testable import SealiteFile

extension SealedScratch {
    /// Runs `body` with one bit of a file flipped, then puts the byte back.
    func withFlippedBit(_ name: String, _ original: [UInt8], at offset: Int, _ body: () throws -> Void) throws {
        try patch(name, at: offset, [original[offset] ^ 1 << UInt8(offset % 8)])
        try body()
        try patch(name, at: offset, [original[offset]])
    }
}

/// A header copy changed, with its checksum made to fit again: what someone without the key can do.
func forgedCopy(_ copy: [UInt8], _ change: (inout [UInt8]) -> Void) throws -> [UInt8] {
    var changed = copy
    change(&changed)
    let checksum = try SHA256.digest(of: changed.slice(0, HeaderLayout.checksum))
    changed.write(Array(checksum[0..<HeaderLayout.checksumByteCount]), at: HeaderLayout.checksum)
    return changed
}

/// What came of trying to read a database.
enum Outcome: Equatable {
    case content([String])
    case refused(SealedFileError.Code, page: UInt32?)

    /// Opens a database by real SQLite and reads every row.
    static func reading(_ open: () throws -> SealedDatabase) -> Outcome {
        do {
            let connection = try open().connect()
            connection.keepLogOnClose()
            return .content(try connection.dump())
        } catch let error as SealedFileError {
            return .refused(error.code, page: error.page)
        } catch {
            return .refused(.internalFailure, page: nil)
        }
    }
}
