import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteFile

/// The credential store of a command that needs it repeatedly: opened on demand, and queried each time.
actor StoreOnDemand {
    private let options: StoreOptions
    private let permission: Console.Permission
    private var store: (any CredentialStore)?
    nonisolated let access: CredentialAccess

    init(_ options: StoreOptions, _ permission: Console.Permission) {
        self.options = options
        self.permission = permission
        access = options.access(permission)
    }

    /// Returns the store; opening is tried again if it failed before.
    func open() async throws(CredentialError) -> any CredentialStore {
        if let store { return store }
        do {
            let opened = try await options.open(permission).store
            store = opened
            return opened
        } catch let error as CredentialError {
            throw error
        } catch {
            let failure = ToolError(any: error)
            throw CredentialError(.invalidArgument, failure.message, hint: failure.hint)
        }
    }

    /// Returns a password.
    func password(of user: String, for service: CredentialService) async throws(CredentialError) -> SecretBytes {
        let reference = try CredentialReference(service: service, account: user, kind: .password)
        guard case .password(let secret) = try await open().read(reference, access: access) else {
            throw CredentialError(.damaged, "what is stored as \(reference) is no password")
        }
        return secret
    }

    /// Returns a certificate with its key, stored under a name that a person chose.
    func identity(named name: String) async throws(CredentialError) -> ClientIdentityCredential {
        let store = try await open()
        let reference = try await store.find(
            service: try CredentialService(name), account: nil, kinds: [.clientIdentity], access: access)
        guard case .clientIdentity(let identity) = try await store.read(reference, access: access) else {
            throw CredentialError(.damaged, "what is stored as \(reference) is no certificate with its key")
        }
        return identity
    }
}

/// Authenticates with the present content of the credential store for a remote.
///
/// Without a named user, and without a store or a credential for the remote, no credentials are presented. A store that
/// is locked or doesn't answer is an error.
struct StoredCredentials: Authenticator {
    private let store: StoreOnDemand
    private let user: String?
    private let isOptional: Bool
    private let client: SessionClient
    private let opened = OpenedAuthenticator()

    /// Keeps the state of the authenticator between handshakes.
    private actor OpenedAuthenticator {
        private var authenticator: StoreAuthenticator?

        func find(
            _ store: StoreOnDemand, _ user: String?, _ client: SessionClient
        ) async throws(AuthenticationError) -> StoreAuthenticator {
            if let authenticator { return authenticator }
            do throws(CredentialError) {
                let made = StoreAuthenticator(
                    store: try await store.open(), account: user, client: client, access: store.access)
                authenticator = made
                return made
            } catch {
                throw AuthenticationError(error)
            }
        }
    }

    init(_ store: StoreOnDemand, user: String?, client: SessionClient) {
        self.store = store
        self.user = user
        isOptional = user == nil
        self.client = client
    }

    func secrets(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets {
        do throws(AuthenticationError) {
            return try await opened.find(store, user, client).secrets(for: endpoint)
        } catch {
            guard isOptional, error.code == .notFound else { throw error }
            return HandshakeSecrets()
        }
    }

    func refused(by endpoint: CredentialService, status: Int) async throws(AuthenticationError) -> Bool {
        do throws(AuthenticationError) {
            return try await opened.find(store, user, client).refused(by: endpoint, status: status)
        } catch {
            guard isOptional, error.code == .notFound else { throw error }
            return false
        }
    }

    func accepted(by endpoint: CredentialService, cookies: [SharedSecret]) async {
        await (try? opened.find(store, user, client))?.accepted(by: endpoint, cookies: cookies)
    }
}
