import FoundationEssentials
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import Testing

func secret(_ text: String) -> SecretBytes {
    unsafe SecretBytes(byteCount: text.utf8.count) { unsafe $0.copyBytes(from: text.utf8) }
}

/// The text of a secret that is shown.
func text(_ secret: SharedSecret?) -> String? {
    unsafe secret?.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
}

func text(_ secret: borrowing SecretBytes) -> String {
    unsafe secret.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
}

/// The code of the error that a call throws; nil when it throws none.
func code<R: ~Copyable>(_ body: () async throws -> R) async -> AuthenticationError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        let known = error as? AuthenticationError
        #expect(known != nil, "\(error)")
        return known?.code
    }
}

extension InMemoryStore {
    /// Keeps a password for an endpoint.
    func keep(_ password: String, for endpoint: CredentialService, _ account: String = "alice") async throws {
        try await save(.password(secret(password)), service: endpoint, account: account)
    }

    /// The text of the stored session, and its end.
    func session(
        for endpoint: CredentialService, _ account: String = "alice"
    ) async throws -> (id: String, name: String, end: Double?) {
        let reference = try CredentialReference(service: endpoint, account: account, kind: .session)
        guard case .session(let session) = try await read(reference) else { throw Unexpected() }
        return (text(session.sessionID), session.cookieName, session.expires?.timeIntervalSince1970)
    }
}

struct Unexpected: Error {}
