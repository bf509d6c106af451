import SealiteCredentials
import SealiteCrypto
import Testing

/// A secret of the bytes of a text.
func secret(_ text: String) -> SecretBytes { secret(Array(text.utf8)) }

func secret(_ bytes: [UInt8]) -> SecretBytes {
    unsafe SecretBytes(byteCount: bytes.count) { unsafe $0.copyBytes(from: bytes) }
}

/// The bytes of a secret.
func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
    unsafe secret.withUnsafeBytes { unsafe Array($0) }
}

func text(_ secret: borrowing SecretBytes) -> String { String(decoding: bytes(secret), as: UTF8.self) }

/// The text of a password or bearer token; nil for other kinds.
func text(_ credential: consuming Credential) -> String? {
    switch consume credential {
    case .password(let password): text(password)
    case .bearer(let token): text(token)
    default: nil
    }
}

func reference(
    _ service: String, _ account: String = "ana", _ kind: CredentialKind = .password
) throws -> CredentialReference {
    try CredentialReference(service: CredentialService(service), account: account, kind: kind)
}

/// The error that a call throws; nil when it throws none.
func failure<R: ~Copyable>(_ body: () async throws -> R) async -> CredentialError? {
    do {
        _ = try await body()
        return nil
    } catch {
        let credentialError = error as? CredentialError
        #expect(credentialError != nil, "\(error)")
        return credentialError
    }
}

/// The code of the error that a call throws; nil when it throws none.
func code<R: ~Copyable>(_ body: () async throws -> R) async -> CredentialError.Code? {
    await failure(body)?.code
}
