import Foundation
import SealiteCrypto
import SealiteRevisions

/// Digests, where a failure of the library is a failure of the test.
enum TestDigest {
    static func sha1(_ message: [UInt8]) -> [UInt8] { (try? SHA1.digest(of: message)) ?? [] }
    static func sha256(_ message: [UInt8]) -> [UInt8] { (try? SHA256.digest(of: message)) ?? [] }
}

extension [UInt8] {
    var base64: String { Data(self).base64EncodedString() }
}
