import SealiteCrypto

/// A key wrapped under another key: nonce, ciphertext and tag.
package struct WrappedKey: Equatable, Sendable {
    package var nonce: [UInt8]
    package var sealed: [UInt8]  // 32 bytes of text and the 16-byte tag

    static let byteCount = 72
    var bytes: [UInt8] {
        precondition(nonce.count == 24 && sealed.count == 48, "another length would overwrite the field that follows")
        return nonce + sealed
    }

    init(nonce: [UInt8], sealed: [UInt8]) {
        self.nonce = nonce
        self.sealed = sealed
    }

    init(bytes: [UInt8]) {
        assert(bytes.count == Self.byteCount)
        nonce = bytes.slice(0, 24)
        sealed = bytes.slice(24, 48)
    }
}
