import SealiteCredentials
import SealiteCrypto

extension LazyCredentialStore {
    /// Returns the password of a user who is allowed to connect.
    ///
    /// - Throws: `notFound` if none is stored, with the command that stores one.
    func password(of user: String, servedBy service: CredentialService) async throws(CredentialError) -> SecretBytes {
        do throws(CredentialError) {
            return try await password(of: user, for: service)
        } catch {
            guard error.code == .notFound else { throw error }
            throw CredentialError(
                .notFound, error.reason,
                hint: "store it with 'sealite credential set \(service) --user \(user.shellArgument)'")
        }
    }

    /// Stores the password of a user who is allowed to connect, and creates a vault if one was named.
    func save(
        _ password: consuming SecretBytes, of user: String, servedBy service: CredentialService
    ) async throws(CredentialError) {
        try await open(makesVault: true).save(
            .password(password), service: service, account: user, label: nil, access: access)
    }
}

/// The certificate that `sealite serve` presents if none is named.
extension LazyCredentialStore {
    private static let validity = Duration.seconds(3_650 * 86_400)

    /// Returns the certificate that an earlier start stored for a database; if there is none, or it has expired,
    /// creates and stores a new one. Clients that pinned the certificate therefore need no change after a restart.
    ///
    /// - Returns: the certificate; nil if there is no vault, or if the store doesn't accept the new certificate, which
    ///   a message on standard error says.
    func keptIdentity(for service: CredentialService) async throws -> TransportIdentity? {
        let reference = try CredentialReference(service: service, account: "", kind: .clientIdentity)
        do throws(CredentialError) {
            if let kept = try await identityInForce(reference) { return kept }
        } catch {
            if error.code == .noVault { return nil }
            guard error.code == .notFound else { throw error }
        }
        let made = try TransportIdentity.selfSigned(
            commonName: "Sealite", hosts: ["localhost", "127.0.0.1", "::1"], validity: Self.validity)
        do throws(CredentialError) {
            try await open().save(
                .clientIdentity(
                    ClientIdentityCredential(certificates: made.certificates, privateKey: made.privateKey.duplicate())),
                service: service, account: "", label: "Certificate of sealite serve", access: access)
            // If two processes start at the same time, both must present the stored certificate.
            return try await identityInForce(reference)
        } catch {
            Console.note(
                "the server's certificate couldn't be kept in the credential store, and the next start may have another: \(error.reason)"
                    .withoutControls + "\n")
            return nil
        }
    }

    /// Returns the stored identity; nil if its certificate is self-signed and has expired.
    private func identityInForce(_ reference: CredentialReference) async throws(CredentialError) -> TransportIdentity? {
        guard case .clientIdentity(let stored) = try await open().read(reference, access: access) else {
            throw CredentialError(.damaged, "the stored credential \(reference) isn't a certificate with its key")
        }
        if let certificate = stored.certificates.first {
            do throws(CertificateFault) {
                try CertificateVerification.checkSelfSigned(certificate)
            } catch .expired {
                return nil
            } catch {
                // A certificate that isn't self-signed was stored by the user, who is responsible for its validity.
            }
        }
        return TransportIdentity(stored)
    }
}

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

    /// Opens the store before its first use, so that an error that waiting doesn't repair ends the command at once,
    /// with its own code: a vault that doesn't exist, a key that doesn't open it, a key's file that can't be read.
    /// Other failures of the store are left to its uses.
    func openFirst() async throws {
        do {
            store = try await options.open(permission, makesVault: false).store
        } catch let error as CredentialError where ![.noVault, .wrongPassphrase].contains(error.code) {}
    }

    /// Returns the store, after opening it if it isn't open. If opening failed before, it is tried again. With
    /// `makesVault` a vault that doesn't exist is created.
    func open(makesVault: Bool = false) async throws(CredentialError) -> any CredentialStore {
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
