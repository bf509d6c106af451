package import SealiteCrypto

/// A whole header copy as bytes on disk, its content parsed and its checksum valid. Checking its MAC requires the
/// master key.
package struct HeaderImage: Equatable, Sendable {
    package let bytes: [UInt8]
    package let content: HeaderContent

    /// Parses one copy of 4096 bytes.
    package init(parsing bytes: [UInt8]) throws(HeaderDefect) {
        guard bytes.count == HeaderLayout.copyByteCount, bytes.starts(with: HeaderLayout.magic) else {
            throw .notSealed
        }
        guard (try? Self.checksum(of: bytes)) == bytes.slice(HeaderLayout.checksum, HeaderLayout.checksumByteCount)
        else { throw .damaged("its checksum is wrong") }
        self.bytes = bytes
        do throws(HeaderDefect) {
            content = try HeaderContent.parse(bytes)
        } catch {
            guard case .damaged(let what) = error else { throw error }
            throw .illegal(what)
        }
    }

    /// Encodes a header copy from its content, with a MAC under the master key.
    package init(_ content: HeaderContent, master: MasterKey) throws(CryptoError) {
        var bytes = content.encodedWithoutCodes()
        let authenticated = bytes.slice(0, HeaderLayout.authenticationCode)
        assert(authenticated.count == HeaderLayout.authenticationCode, "the MAC covers all that precedes it")
        bytes.write(try master.authenticationCode(for: authenticated), at: HeaderLayout.authenticationCode)
        bytes.write(try Self.checksum(of: bytes), at: HeaderLayout.checksum)
        assert(bytes.count == HeaderLayout.copyByteCount)
        self.bytes = bytes
        self.content = content
    }

    /// Throws `internalFailure` if readers would reject this header, for example because two slots have the same label.
    func requireLegal() throws(SealedFileError) {
        do throws(HeaderDefect) {
            _ = try HeaderImage(parsing: bytes)
        } catch {
            let defect =
                switch error {
                case .damaged(let what), .illegal(let what), .unsupported(let what), .removed(let what): what
                case .notSealed: "no magic number"
                }
            throw SealedFileError(
                .internalFailure, "a header that can't be read wasn't written: it would have \(defect)",
                hint: "try again")
        }
    }

    /// Returns whether the copy's MAC is valid under this master key.
    package func isAuthentic(under master: MasterKey) throws(CryptoError) -> Bool {
        assert(bytes.count == HeaderLayout.copyByteCount)
        return try master.isAuthentic(
            bytes.slice(HeaderLayout.authenticationCode, 32),
            for: bytes.slice(0, HeaderLayout.authenticationCode))
    }

    private static func checksum(of bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        Array(try SHA256.digest(of: bytes.slice(0, HeaderLayout.checksum))[0..<HeaderLayout.checksumByteCount])
    }
}
