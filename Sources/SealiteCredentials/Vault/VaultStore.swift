internal import FoundationEssentials
internal import SealiteBase
internal import SealiteCrypto
public import SealiteFile

/// A vault: a store in one sealed database, for machines without a Secret Service.
///
/// Only the owner can access the file (mode 0600, in a folder of mode 0700; modes that give access to other users are
/// refused). It has key slots like every sealed database, so that a passphrase, a raw key or a recovery key opens it,
/// and it is verified and backed up in the same way. Each secret is padded and sealed once more before SQLite sees it.
/// Several processes may use one vault.
///
/// Calls run one at a time on a separate thread. A locked vault throws `locked` until ``unlock(_:limits:)`` is called;
/// it never asks for a passphrase itself.
public actor VaultStore: CredentialStore {
    /// The path of the vault's file.
    public nonisolated let path: String
    /// The time without a call after which the vault locks itself; nil for never.
    public nonisolated let idleLimit: Duration?
    /// The name of the store in messages.
    public nonisolated var name: String { "the vault \"\(path)\"" }

    private struct Keys {
        let database: SealedDatabase
        let record: SharedSecret
    }

    private var keys: Keys?
    private var idleTimer: Task<Void, Never>?
    private let vfs: VFSChoice
    private let time: any TimeSource
    /// A Boolean value that indicates whether the owner and the mode of the file and the folder are checked; false for
    /// an export, which may be in any folder, and for another VFS than the standard one.
    private let isGuarded: Bool
    private let executor = Offload("vault")
    /// The milliseconds for which one attempt may block the thread while waiting for another process's lock.
    private static let step = Duration.milliseconds(100)

    /// The executor of the actor: a thread of its own, which may block.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Returns the standard path of a vault: `$XDG_DATA_HOME/sealite/vault.db`, by default in `~/.local/share`.
    ///
    /// - Throws: `invalidArgument` if neither `XDG_DATA_HOME` nor `HOME` names a folder.
    public static func standardPath() throws(CredentialError) -> String { try VaultLocation.standardPath() }

    init(
        path: String, idleLimit: Duration?, vfs: VFSChoice, isGuarded: Bool = true, time: any TimeSource = SystemTime()
    ) {
        self.path = path
        self.idleLimit = idleLimit
        self.vfs = vfs
        self.time = time
        self.isGuarded = isGuarded && vfs.base == VFSChoice.standard.base
    }

    /// A credential to store in a vault when the vault is created.
    struct Item: Sendable {
        let metadata: CredentialMetadata
        let record: SharedSecret
    }

    /// Creates a new, empty vault and unlocks it. Its folder is created if it doesn't exist.
    ///
    /// - Parameters:
    ///   - path: the path of the file; nil for `$XDG_DATA_HOME/sealite/vault.db`, by default in `~/.local/share`.
    ///   - secret: the secret of the first key slot.
    ///   - recoveryKey: a recovery key, which gets a slot too; nil for none.
    ///   - idleLimit: the time without a call after which the vault locks itself; nil for never.
    /// - Returns: the vault, unlocked.
    /// - Throws: `exists`, `permission`, `diskFull`, `invalidArgument`, `providerFailed`.
    public static func create(
        at path: String? = nil, secret: consuming NewSlotSecret, recoveryKey: RecoveryKey? = nil,
        idleLimit: Duration? = nil
    ) async throws(CredentialError) -> VaultStore {
        let vault = VaultStore(path: try VaultLocation.resolve(path), idleLimit: idleLimit, vfs: .standard)
        try await vault.make(secret, recoveryKey)
        return vault
    }

    /// Opens an existing vault and unlocks it.
    ///
    /// - Parameters:
    ///   - path: the path of the file; nil for `$XDG_DATA_HOME/sealite/vault.db`, by default in `~/.local/share`.
    ///   - key: the key that opens one of the key slots.
    ///   - idleLimit: the time without a call after which the vault locks itself; nil for never.
    ///   - limits: the bounds on the cost of unlocking.
    /// - Returns: the vault, unlocked.
    /// - Throws: `noVault`, `wrongPassphrase`, `permission`, `damaged`, `unsupportedVersion`, `invalidArgument` for a
    ///   sealed database that isn't a vault, `timedOut`, `providerFailed`.
    public static func open(
        at path: String? = nil, key: consuming UnlockKey, idleLimit: Duration? = nil,
        limits: UnlockLimits = UnlockLimits()
    ) async throws(CredentialError) -> VaultStore {
        let vault = VaultStore(path: try VaultLocation.resolve(path), idleLimit: idleLimit, vfs: .standard)
        try await vault.unlock(key, limits: limits)
        return vault
    }

    /// A Boolean value that indicates whether the vault is locked, that is, its keys were wiped.
    public var isLocked: Bool { keys == nil }

    /// Wipes the vault's keys from this process's memory as soon as no call is in progress.
    public func lock() {
        idleTimer?.cancel()
        keys?.database.lock()
        keys = nil
    }

    /// Unlocks the vault after it was locked.
    ///
    /// - Throws: the errors of ``open(at:key:idleLimit:limits:)``.
    public func unlock(_ key: consuming UnlockKey, limits: UnlockLimits = UnlockLimits()) throws(CredentialError) {
        try checkPlace()
        let database = try inVault { () throws(SealedFileError) in
            try SealedDatabase.open(path, key: key, limits: limits, vfs: vfs)
        }
        try adopt(database)
    }

    /// Creates the file with its first credentials, and unlocks it.
    func make(
        _ secret: consuming NewSlotSecret, _ recoveryKey: RecoveryKey?, _ items: [Item] = []
    ) throws(CredentialError) {
        if isGuarded {
            try VaultLocation.makeFolder(for: path)
            try VaultLocation.checkFolder(of: path)
        }
        var options = CreationOptions(recoveryKey: recoveryKey)
        let applicationKey = try inVault { () throws(SealedFileError) in try ApplicationKey.random() }
        options.applicationKey = applicationKey
        let key = try inVault { () throws(SealedFileError) in try applicationKey.derive(VaultTable.keyLabel) }
        var rows: [VaultTable.Row] = []
        for item in items {
            rows.append(try VaultTable.Row(item.metadata, record: item.record.secret, key: key))
        }
        let database = try inVault { () throws(SealedFileError) in
            try SealedDatabase.create(path, slot: secret, options: options, vfs: vfs) {
                (connection) throws(SealedFileError) in try VaultTable.fill(connection, with: rows)
            }
        }
        try adopt(database)
    }

    private func adopt(_ database: SealedDatabase) throws(CredentialError) {
        let applicationKey = try inVault { () throws(SealedFileError) in try database.ring.applicationKey() }
        guard let applicationKey else { throw CredentialError.notVault(path) }
        let record = SharedSecret(
            try inVault { () throws(SealedFileError) in try applicationKey.derive(VaultTable.keyLabel) })
        let connection = try inVault { () throws(SealedFileError) in try database.connect() }
        _ = try VaultTable(connection, key: record)
        keys?.database.lock()
        keys = Keys(database: database, record: record)
        restartIdleTimer()
    }

    private func checkPlace() throws(CredentialError) {
        if isGuarded { try VaultLocation.check(path) }
    }
}

// MARK: Calls

extension VaultStore {
    /// Saves a credential, replacing the one with the same service, account and kind.
    public nonisolated func save(
        _ credential: consuming Credential, service: CredentialService, account: String, label: String?,
        access: CredentialAccess
    ) async throws(CredentialError) {
        let reference = try CredentialReference(service: service, account: account, kind: credential.kind)
        let record = SharedSecret(try credential.record(for: reference))
        try await perform(access, reference, "saved") { table throws(CredentialError) in
            try table.save(record.secret, as: reference, label: label)
        }
    }

    /// Returns a credential with its secret.
    public nonisolated func read(
        _ reference: CredentialReference, access: CredentialAccess
    ) async throws(CredentialError) -> Credential {
        let box = try await perform(access, reference, "read") { [name] table throws(CredentialError) in
            guard let record = try table.record(of: reference) else {
                throw CredentialError.notFound(reference, in: name)
            }
            return SecretBox(record)
        }
        return try Credential(in: box, for: reference)
    }

    /// Removes a credential.
    ///
    /// - Throws: `notFound` if the vault doesn't contain it, and the errors of ``read(_:access:)``.
    public nonisolated func remove(
        _ reference: CredentialReference, access: CredentialAccess
    ) async throws(CredentialError) {
        try await perform(access, reference, "removed") { [name] table throws(CredentialError) in
            guard try table.remove(reference) else { throw CredentialError.notFound(reference, in: name) }
        }
    }

    /// Returns the stored credentials without their secrets. Throws `locked` if the vault is locked.
    public nonisolated func list(
        service: CredentialService?, access: CredentialAccess
    ) async throws(CredentialError) -> CredentialListing {
        try await perform(access, nil, "listed") { table throws(CredentialError) in
            CredentialListing(items: try table.list(service), isComplete: true)
        }
    }

    /// Returns the credentials that are stored for a service, with secrets.
    public nonisolated func match(
        service: CredentialService, account: String?, kinds: [CredentialKind], access: CredentialAccess
    ) async throws(CredentialError) -> CredentialMatch {
        try await perform(access, nil, "read") { [name] table throws(CredentialError) in
            var match = CredentialMatch(
                in: CredentialListing(items: try table.list(service), isComplete: true), of: name, service: service,
                account: account, kinds: kinds)
            for reference in match.wanted { try table.load(reference, into: &match) }
            return match
        }
    }

    /// Runs an operation on the table. The time limit begins with the call, so that waiting for earlier calls counts.
    private nonisolated func perform<R: Sendable>(
        _ access: CredentialAccess, _ reference: CredentialReference?, _ verb: String,
        _ body: @Sendable (VaultTable) throws(CredentialError) -> R
    ) async throws(CredentialError) -> R {
        try await perform(until: time.now + access.timeLimit, reference, verb, body)
    }

    /// Runs an operation on the table, on a connection of its own. While another process holds a lock, the operation is
    /// tried again, in short steps that let other calls run in between, until the deadline.
    private func perform<R: Sendable>(
        until deadline: ContinuousClock.Instant, _ reference: CredentialReference?, _ verb: String,
        _ body: @Sendable (VaultTable) throws(CredentialError) -> R
    ) async throws(CredentialError) -> R {
        do throws(CredentialError) {
            while true {
                guard !Task.isCancelled else {
                    throw CredentialError(
                        .cancelled, "the call was cancelled before it got access to the vault")
                }
                do throws(CredentialError) {
                    let result = try attempt(until: deadline, body)
                    restartIdleTimer()
                    return result
                } catch {
                    guard error.code == .timedOut, time.now < deadline else { throw error }
                }
                try? await time.sleep(for: .milliseconds(10))
            }
        } catch {
            guard let reference, error.code != .notFound else { throw error }
            throw error.about(reference, verb)
        }
    }

    private func attempt<R>(
        until deadline: ContinuousClock.Instant,
        _ body: (VaultTable) throws(CredentialError) -> R
    ) throws(CredentialError) -> R {
        guard let keys else {
            throw CredentialError(.locked, "\(name) is locked", hint: "unlock it with its passphrase or key")
        }
        try checkPlace()
        let wait = min(Self.step, max(.zero, deadline - time.now))
        let connection = try inVault { () throws(SealedFileError) in
            try keys.database.connect(busyTimeout: wait)
        }
        return try body(try VaultTable(connection, key: keys.record))
    }

    private func restartIdleTimer() {
        idleTimer?.cancel()
        guard let idleLimit, keys != nil else { return }
        let end = time.now + idleLimit
        idleTimer = Task { [weak self, time] in
            do { try await time.sleep(until: end) } catch { return }
            await self?.lockIfIdle()
        }
    }

    /// Locks the vault, unless a call has restarted the timer, and so cancelled this task, after the time had passed.
    private func lockIfIdle() {
        if !Task.isCancelled { lock() }
    }
}

extension VaultStore {
    /// Returns whether the database of a connection is a vault, according to its application id or, if that was
    /// changed, to its table. Both are sealed content, which can be changed only with a key.
    ///
    /// - Throws: `SealedFileError` if the schema can't be read.
    package static func isPresent(in connection: RawConnection) throws(SealedFileError) -> Bool {
        if try connection.integer("PRAGMA application_id") == VaultTable.applicationID { return true }
        let names = ["service", "account", "kind", "sealed"].map { "'\($0)'" }.joined(separator: ", ")
        return try connection.integer(
            "SELECT count(*) FROM pragma_table_info('credentials') WHERE name IN (\(names))") == 4
    }
}
