import Foundation
import SealiteCredentials
import SealiteCrypto
import SealiteFile

extension OutputOptions {
    func report(_ verb: String, _ reference: CredentialReference, in store: String, given: String? = nil) {
        if json {
            Console.print(
                JSONValue.object([
                    ("service", .text(reference.service.canonical)), ("account", .text(reference.account)),
                    ("kind", .text(reference.kind.rawValue)), ("done", .text(verb)), ("store", .text(store)),
                ]).encoded)
        } else {
            var shown = reference.description
            if let given, reference.label(given: given) != nil {
                shown = shown.replacing("\"\(reference.service)\"", with: "\"\(given)\"")
            }
            Console.confirm("\(verb) \(shown) in \(store)".withoutControls)
        }
    }
}

extension Credential {
    /// Returns the bytes that `sealite credential get --reveal` writes: a password, token or session id unchanged,
    /// otherwise the stored record.
    consuming func shown(for reference: CredentialReference) throws(CredentialError) -> SecretBytes {
        switch consume self {
        case .password(let secret): return secret
        case .bearer(let secret): return secret
        case .session(let session): return session.sessionID.duplicate()
        case .clientIdentity(let identity):
            return try Credential.clientIdentity(identity).record(for: reference)
        case .slotKey(let key): return try Credential.slotKey(key).record(for: reference)
        }
    }
}

extension CredentialReference {
    /// Returns a label with the endpoint as the user wrote it; nil to use the standard label, if the service isn't an
    /// endpoint or was written in its canonical form. A form with a user name, and perhaps a password, isn't kept
    /// either.
    func label(given: String) -> String? {
        guard service.scheme != nil, given != service.canonical, !given.contains("@"), !given.contains(" ") else {
            return nil
        }
        return label(naming: given)
    }
}
