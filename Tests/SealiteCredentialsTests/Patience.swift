import SealiteCredentials

extension CredentialAccess {
    /// No prompt, and time enough for a machine that does much else: for tests whose subject isn't the time limit.
    static let patient = CredentialAccess(allowsInteraction: false, timeLimit: .seconds(60))
}

/// The calls without an access, as the tests mean them: never short of time.
extension SecretServiceStore {
    func save(
        _ credential: consuming Credential, service: CredentialService, account: String
    ) async throws(CredentialError) {
        try await save(credential, service: service, account: account, label: nil, access: .patient)
    }

    func read(_ reference: CredentialReference) async throws(CredentialError) -> Credential {
        try await read(reference, access: .patient)
    }

    func remove(_ reference: CredentialReference) async throws(CredentialError) {
        try await remove(reference, access: .patient)
    }

    func list() async throws(CredentialError) -> CredentialListing {
        try await list(service: nil, access: .patient)
    }

    func lock() async throws(CredentialError) {
        try await lock(access: .patient)
    }

    static func status() async throws(CredentialError) -> SecretServiceStatus {
        try await status(access: .patient)
    }
}
