internal import SealiteCrypto

/// A secret that several closures or a table hold together; wiped with the last of them.
final class HeldSecret: Sendable {
    let secret: SecretBytes

    init(_ secret: consuming SecretBytes) {
        self.secret = secret
    }
}
