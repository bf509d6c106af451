import SealiteCredentials
import SealiteCrypto
import SealiteFile

/// The credential store of a command that runs for a long time: it is opened on demand, and queried for each use.
actor LazyCredentialStore {
    private let options: StoreOptions
    private let permission: Console.Permission
    private var store: (any CredentialStore)?
    nonisolated let access: CredentialAccess

    init(_ options: StoreOptions, _ permission: Console.Permission) {
        self.options = options
        self.permission = permission
        access = options.access(permission)
    }

    /// Returns the store, after opening it if it isn't open. If opening failed before, it is tried again.
    func open() async throws(CredentialError) -> any CredentialStore { try await open(makesVault: false) }

    /// Returns the store; a vault that doesn't exist is created.
    func openToSave() async throws(CredentialError) -> any CredentialStore { try await open(makesVault: true) }

    /// Opens the store before its first use, so that an error that waiting doesn't repair ends the command at once,
    /// with its own code: a vault that doesn't exist, a key that doesn't open it, a key's file that can't be read.
    /// Other failures of the store are left to its uses.
    func openFirst() async throws {
        do {
            store = try await options.open(permission, makesVault: false).store
        } catch let error as CredentialError where ![.noVault, .wrongPassphrase].contains(error.code) {}
    }

    private func open(makesVault: Bool) async throws(CredentialError) -> any CredentialStore {
        if let store { return store }
        do {
            let opened = try await options.open(permission, makesVault: makesVault).store
            store = opened
            return opened
        } catch let error as CredentialError {
            throw error
        } catch {
            let failure = ToolError(any: error)
            // The vault's key file may have the wrong permission, which isn't damage.
            throw CredentialError(
                failure.status == .permission ? .permission : .invalidArgument, failure.message, hint: failure.hint)
        }
    }

    /// Returns the stored password of a user for a service.
    func password(of user: String, for service: CredentialService) async throws(CredentialError) -> SecretBytes {
        let reference = try CredentialReference(service: service, account: user, kind: .password)
        guard case .password(let secret) = try await open().read(reference, access: access) else {
            throw CredentialError(.damaged, "the stored credential \(reference) isn't a password")
        }
        return secret
    }

    /// Returns a certificate with its key, stored under a name that the user chose.
    func identity(named name: String) async throws(CredentialError) -> ClientIdentityCredential {
        let store = try await open()
        let reference = try await store.find(
            service: try CredentialService(name), account: nil, kinds: [.clientIdentity], access: access)
        guard case .clientIdentity(let identity) = try await store.read(reference, access: access) else {
            throw CredentialError(.damaged, "the stored credential \(reference) isn't a certificate with its key")
        }
        return identity
    }
}
