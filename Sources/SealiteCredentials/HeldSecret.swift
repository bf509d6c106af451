package import SealiteCrypto

/// A secret that several closures or a table hold together; wiped with the last of them.
package final class HeldSecret: Sendable {
    package let secret: SecretBytes

    package init(_ secret: consuming SecretBytes) {
        self.secret = secret
    }
}
