internal import Glibc
internal import Logging
internal import SealiteBase
internal import SealiteCrypto
internal import SealiteFile

/// The entry point for programs: the choice of a store.
public enum Credentials {
    /// Opens the store that a policy selects, and returns it with the choice and the reason for the choice.
    ///
    /// A store that was requested is opened, or the call fails. Otherwise the store of the user's setting
    /// (``StoreSetting``) is used; otherwise the vault, if its key was given (in the policy, or by systemd as
    /// `$CREDENTIALS_DIRECTORY/sealite.vault`); otherwise the Secret Service, if one responds. There is no other
    /// fallback.
    ///
    /// - Parameters:
    ///   - policy: the requested store, and the key that opens it.
    ///   - access: the time limit for checking whether a Secret Service is available.
    /// - Returns: the store, its kind, and the reason for the choice.
    /// - Throws: `noSessionBus`, `noProvider`, `timedOut` and other errors of the Secret Service if there is no store
    ///   to use; errors from reading the setting and from opening the vault. A Secret Service that the policy or the
    ///   setting names isn't checked before the first call to the store.
    public static func openStore(
        policy: consuming StorePolicy = StorePolicy(), access: CredentialAccess = .silent
    ) async throws(CredentialError) -> OpenedStore {
        if policy.vaultKey == nil { policy.vaultKey = try vaultPassphraseOfSystemd() }
        if let choice = policy.choice { return try await open(choice, policy, because: "it was asked for") }
        if policy.heedsSetting, let setting = try StoreSetting.current() {
            policy.vaultPath = policy.vaultPath ?? setting.vaultPath
            return try await open(setting.choice, policy, because: "the user's setting names it")
        }
        if policy.vaultKey != nil { return try await open(.vault, policy, because: "its key was given") }
        let (vaultPath, logger) = (policy.vaultPath, policy.logger)
        do throws(CredentialError) {
            _ = try await SecretServiceStore.status(access: access)
        } catch {
            logger?.error("there is no credential store", metadata: ["code": "\(error.code.rawValue)"])
            throw Self.nothing(error, vaultPath)
        }
        return try await open(.secretService, policy, because: "one answers on the session bus")
    }

    private static func open(
        _ choice: StoreChoice, _ policy: consuming StorePolicy, because reason: String
    ) async throws(CredentialError) -> OpenedStore {
        let logger = policy.logger
        do throws(CredentialError) {
            let opened = try await opened(choice, policy, because: reason)
            logger?.info(
                "opened the credential store",
                metadata: ["store": "\(choice.rawValue)", "because": "\(reason)", "new": "\(opened.isNew)"])
            return opened
        } catch {
            logger?.error(
                "the credential store can't be opened",
                metadata: ["store": "\(choice.rawValue)", "because": "\(reason)", "code": "\(error.code.rawValue)"])
            throw error
        }
    }

    private static func opened(
        _ choice: StoreChoice, _ policy: consuming StorePolicy, because reason: String
    ) async throws(CredentialError) -> OpenedStore {
        let logger = policy.logger
        switch choice {
        case .secretService:
            let store = SecretServiceStore(
                collection: policy.collection, allowsUnencryptedSession: policy.allowsUnencryptedSession)
            return OpenedStore(
                store: store.logged(ifBy: logger), vault: nil, choice: choice, reason: reason, isNew: false)
        case .vault:
            let (vault, isNew) = try await openVault(policy)
            return OpenedStore(
                store: vault.logged(ifBy: logger), vault: vault, choice: choice, reason: reason, isNew: isNew)
        }
    }

    private static func openVault(
        _ policy: consuming StorePolicy
    ) async throws(CredentialError) -> (vault: VaultStore, isNew: Bool) {
        let path = try VaultLocation.resolve(policy.vaultPath)
        let isNew = try isMissing(path)
        guard !isNew || policy.makesVault else { throw CredentialError.noVault(path) }
        let key: UnlockKey
        if let given = policy.vaultKey.take() {
            key = given
        } else if let ask = policy.askForVaultPassphrase {
            key = .passphrase(try ask(path, isNew))
        } else if isNew {
            throw CredentialError(
                .noVault, "there is no vault at \"\(path)\", and no passphrase for a new one was given",
                hint: CredentialRemedy.giveVaultKey.hint)
        } else {
            throw CredentialError(
                .locked, "the vault \"\(path)\" is locked, and no key for it was given",
                hint: CredentialRemedy.giveVaultKey.hint)
        }
        guard isNew else {
            return (try await VaultStore.open(at: path, key: key, limits: policy.vaultLimits), false)
        }
        let secret: NewSlotSecret
        switch consume key {
        case .passphrase(let bytes): secret = .passphrase(bytes, cost: policy.newVaultCost)
        case .rawKey(let bytes): secret = .rawKey(bytes)
        case .recoveryKey:
            throw CredentialError(
                .invalidArgument,
                "a new vault needs a passphrase or a raw key; a recovery key can only open a vault that exists")
        }
        return (try await VaultStore.create(at: path, secret: secret), true)
    }

    private static func isMissing(_ path: String) throws(CredentialError) -> Bool {
        do throws(CredentialError) {
            try VaultLocation.check(path)
            return false
        } catch {
            guard error.code == .noVault else { throw error }
            return true
        }
    }

    /// Returns the vault's passphrase that systemd provides; nil if it provides none.
    private static func vaultPassphraseOfSystemd() throws(CredentialError) -> UnlockKey? {
        guard let path = vaultPassphrasePathOfSystemd else { return nil }
        return .passphrase(try inVault { () throws(SealedFileError) in try SecretFile.path(path).passphrase() })
    }

    private static func nothing(_ error: CredentialError, _ vaultPath: String?) -> CredentialError {
        let path = (try? VaultLocation.resolve(vaultPath)) ?? ""
        let hasVault = unsafe !path.isEmpty && access(path, F_OK) == 0
        let hint =
            hasVault
            ? CredentialRemedy.useVault(path: path).hint
            : CredentialRemedy.useNewVault.hint
        return CredentialError(error.code, error.reason, hint: error.hint.map { "\($0); \(hint)" } ?? hint)
    }
}

/// A store that was chosen and opened.
public struct OpenedStore: Sendable {
    /// The store, which logs its calls if the policy has a logger.
    public let store: any CredentialStore
    /// The store as a vault; nil if it is the Secret Service.
    public let vault: VaultStore?
    /// The kind of store.
    public let choice: StoreChoice
    /// The reason for the choice, in the form of a clause that follows "because", such as "its key was given".
    public let reason: String
    /// A Boolean value that says whether the store is a vault that was created when it was opened.
    public let isNew: Bool
}

extension Credentials {
    /// Returns whether there is any sign of a store on this machine: a session bus, a setting, or a vault's passphrase
    /// from systemd. Without any, no store can have a key, and the caller needn't wait for a store to respond.
    ///
    /// - Throws: errors from reading the setting.
    package static func mayHaveStore() throws(CredentialError) -> Bool {
        if VaultLocation.variable("DBUS_SESSION_BUS_ADDRESS") != nil { return true }
        let folder = VaultLocation.variable("XDG_RUNTIME_DIR")
        if let folder, unsafe access(folder + "/bus", F_OK) == 0 { return true }
        if vaultKeyIsGivenBySystemd { return true }
        return try StoreSetting.current() != nil
    }

    /// A Boolean value that says whether systemd provides a vault's passphrase.
    package static var vaultKeyIsGivenBySystemd: Bool { vaultPassphrasePathOfSystemd != nil }

    /// The path of the vault's passphrase that systemd provides, also if the file can't be read; nil if it provides
    /// none. <https://systemd.io/CREDENTIALS>
    static var vaultPassphrasePathOfSystemd: String? {
        guard let folder = VaultLocation.variable("CREDENTIALS_DIRECTORY") else { return nil }
        let path = folder + "/sealite.vault"
        guard unsafe access(path, F_OK) == 0 || errno != ENOENT else { return nil }
        return path
    }
}
