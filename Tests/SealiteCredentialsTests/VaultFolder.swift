import Foundation
import SealiteCrypto
import SealiteFile

@testable import SealiteCredentials

/// A folder of one test, mode 0700, removed when the test lets go of it, and vaults in it.
final class VaultFolder {
    let path: String

    init() throws {
        var status = statvfs()
        let isRoomy =
            unsafe statvfs("/dev/shm", &status) == 0 && access("/dev/shm", W_OK) == 0 && status.f_bavail > 4096
        path = (isRoomy ? "/dev/shm" : "/tmp") + "/sealite-vault-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String = "vault.db") -> String { path + "/" + name }

    /// A raw key of 32 equal bytes: for tests only.
    static func key(_ seed: UInt8 = 7) -> SecretBytes { secret([UInt8](repeating: seed, count: 32)) }

    func make(_ name: String = "vault.db", idleLimit: Duration? = nil) async throws -> VaultStore {
        try await VaultStore.create(at: file(name), secret: .rawKey(Self.key()), idleLimit: idleLimit)
    }

    func open(_ name: String = "vault.db", seed: UInt8 = 7) async throws -> VaultStore {
        try await VaultStore.open(at: file(name), key: .rawKey(Self.key(seed)))
    }

    func database(_ name: String = "vault.db") throws -> SealedDatabase {
        try SealedDatabase.open(file(name), key: .rawKey(Self.key()))
    }

    func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}

extension CredentialStore {
    /// Keeps a password, with all the time that a loaded machine may need.
    func save(_ password: String, _ reference: CredentialReference, label: String? = nil) async throws {
        try await save(
            .password(secret(password)), service: reference.service, account: reference.account, label: label,
            access: .patient)
    }

    func text(_ reference: CredentialReference) async throws -> String? {
        SealiteCredentialsTests.text(try await read(reference, access: .patient))
    }
}
