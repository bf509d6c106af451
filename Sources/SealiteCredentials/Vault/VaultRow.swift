internal import FoundationEssentials

/// A credential as a row of a vault's table, with the secret still sealed.
struct VaultRow: Sendable {
    let reference: CredentialReference
    let label: String
    let created: Date
    let modified: Date
    let sealed: [UInt8]
}

extension CredentialReference {
    /// Creates a reference from the columns of a table; nil for a kind that a newer version wrote.
    init?(service: String?, account: String?, kind: String?) throws(CredentialError) {
        guard let service, let account, let kind else { throw Self.notReference }
        guard let kind = CredentialKind(rawValue: kind) else { return nil }
        do throws(CredentialError) {
            try self.init(service: try CredentialService(service), account: account, kind: kind)
        } catch {
            throw Self.notReference
        }
        guard self.service.canonical == service else { throw Self.notReference }
    }

    private static var notReference: CredentialError {
        CredentialError.damaged("a row of the vault has a service or account that can't be one")
    }
}
