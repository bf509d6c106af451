import Glibc
import SealiteCredentials
import SealiteFile
import SealiteMaintenance

/// The user's defaults for keys and the credential store: environment variables, and the configuration file.
///
/// An option on the command line counts before them, an environment variable before a credential of systemd, and that
/// before the configuration file. The file contains paths of secrets and commands that read them, never secrets.
struct Settings {
    /// The names of the settings in the configuration file.
    enum Name: String, CaseIterable {
        case keyFile = "key-file"
        case passphraseFile = "passphrase-file"
        case passphraseCommand = "passphrase-command"
        case store
        case vault
        case vaultKeyFile = "vault-key-file"
        case vaultPassphraseFile = "vault-passphrase-file"
    }

    /// The values of the configuration file.
    private(set) var values: [Name: String] = [:]

    // MARK: Keys

    /// Returns the source of a key that the environment names; nil if there is none.
    static func sourceInEnvironment() throws(ToolError) -> KeySource? {
        let (keyFile, passphraseFile) = (variable("SEALITE_KEY_FILE"), variable("SEALITE_PASSPHRASE_FILE"))
        guard keyFile == nil || passphraseFile == nil else {
            throw .usage(
                "SEALITE_KEY_FILE and SEALITE_PASSPHRASE_FILE are both set",
                hint: "unset one of them, or name the key on the command line")
        }
        return keyFile.map { KeySource(.rawKey, $0).named(by: "SEALITE_KEY_FILE") }
            ?? passphraseFile.map { KeySource(.passphrase, $0).named(by: "SEALITE_PASSPHRASE_FILE") }
    }

    /// The source of a key that the configuration file names; nil if there is none.
    var source: KeySource? {
        if let path = values[.keyFile] {
            return KeySource(.rawKey, path).named(by: "key-file in the configuration file")
        }
        if let path = values[.passphraseFile] {
            return KeySource(.passphrase, path).named(by: "passphrase-file in the configuration file")
        }
        return values[.passphraseCommand].map { KeySource(command: $0) }
    }

    // MARK: The credential store

    /// Returns the credential store that the environment or the configuration file names; nil if there is none. A
    /// configuration file that names only the file of a vault thereby names the vault.
    static func store() throws -> StoreChoice? {
        if let name = variable("SEALITE_STORE") {
            guard let choice = StoreChoice(rawValue: name) else {
                throw ToolError.usage("the variable SEALITE_STORE has to be secret-service or vault, not \"\(name)\"")
            }
            return choice
        }
        let settings = try current()
        return settings.values[.store].flatMap(StoreChoice.init(rawValue:))
            ?? (settings.values[.vault] == nil ? nil : .vault)
    }

    /// The source of the vault's key that the configuration file names; nil if there is none.
    var vaultSource: KeySource? {
        values[.vaultKeyFile].map { KeySource(.rawKey, $0).named(by: "vault-key-file in the configuration file") }
            ?? values[.vaultPassphraseFile].map {
                KeySource(.passphrase, $0).named(by: "vault-passphrase-file in the configuration file")
            }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name).map({ unsafe String(cString: $0) }), !value.isEmpty else { return nil }
        return value
    }

    // MARK: The file

    private static let byteLimit = 1 << 16

    /// The path of the configuration file; nil for a user without a home folder.
    static var path: String? {
        if let folder = variable("XDG_CONFIG_HOME"), folder.hasPrefix("/") { return folder + "/sealite/config" }
        return variable("HOME").map { $0 + "/.config/sealite/config" }
    }

    /// Reads the configuration file; a missing file has no settings.
    static func current() throws -> Settings {
        guard let path else { return Settings() }
        // The owner and mode of the file are checked, because a person who can write it can name a command to run.
        let bytes = try StateFile.read(path, limit: byteLimit, isOwnerOnly: true)
        guard let bytes else { return Settings() }
        return try Settings(String(decoding: bytes, as: UTF8.self), path: path)
    }

    private init() {}

    /// Parses the file: lines of "name = value"; lines that begin with # are comments.
    init(_ text: String, path: String) throws(ToolError) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = String(line.trimmed)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            do throws(ToolError) {
                try take(line)
            } catch {
                throw ToolError(
                    .permission, code: "configuration", "\"\(path)\", line \(index + 1): \(error.message)",
                    hint: error.hint)
            }
        }
        try requireOne(of: [.keyFile, .passphraseFile, .passphraseCommand], path)
        try requireOne(of: [.vaultKeyFile, .vaultPassphraseFile], path)
    }

    /// Throws an error if more than one of the settings is given. Each of them names a source of the same secret.
    private func requireOne(of names: [Name], _ path: String) throws(ToolError) {
        let given = names.filter { values[$0] != nil }
        guard given.count < 2 else {
            throw ToolError(
                .permission, code: "configuration",
                "\"\(path)\": \(given.map(\.rawValue).joined(separator: " and ")) can't be given together")
        }
    }

    private mutating func take(_ line: String) throws(ToolError) {
        let parts = line.split(separator: "=", maxSplits: 1).map { String($0.trimmed) }
        guard parts.count == 2, !parts[1].isEmpty else { throw .usage("the line isn't of the form \"name = value\"") }
        guard let name = Name(rawValue: parts[0]) else {
            // The value may be a secret, and the name may be one if the line was written in another form.
            throw .usage(
                Self.secrets.contains(parts[0])
                    ? "a configuration file may contain the path of a secret, not the secret itself"
                    : "the name before \"=\" isn't one of the settings",
                hint: "the settings are \(Name.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        guard values[name] == nil else { throw .usage("the setting \(name.rawValue) is given twice") }
        values[name] = try Self.checked(parts[1], name)
    }

    /// The names that a secret itself would have.
    private static let secrets: Set<String> = [
        "key", "passphrase", "password", "recovery-key", "token", "bearer", "secret", "vault-key", "vault-passphrase",
    ]

    private static func checked(_ value: String, _ name: Name) throws(ToolError) -> String {
        switch name {
        case .passphraseCommand: return value
        case .store:
            guard StoreChoice(rawValue: value) != nil else {
                throw .usage("the value of store has to be secret-service or vault")
            }
            return value
        default:
            if value.hasPrefix("~/"), let home = variable("HOME") { return home + value.dropFirst(1) }
            guard value.hasPrefix("/") else {
                throw .usage(
                    "the value of \(name.rawValue) has to be a path that begins with / or, if HOME is set, with ~/; never the secret itself"
                )
            }
            return value
        }
    }
}

extension Settings {
    /// The text of `sealite help config`.
    static var help: String {
        """
        The configuration file is
        \(path.map { "\"\($0)\"" } ?? "$XDG_CONFIG_HOME/sealite/config").
        Its lines have the form "name = value"; lines that begin with # are comments.
        It has to belong to you or root, and only its owner may have the permission to
        write it. It contains paths of secrets, never secrets:

          key-file               the file with the raw key of databases
          passphrase-file        the file with the passphrase of databases
          passphrase-command     a shell command whose output is the passphrase
          store                  the credential store: secret-service or vault
          vault                  the vault's file
          vault-key-file         the file with the raw key of the vault
          vault-passphrase-file  the file with the passphrase of the vault

        Paths are absolute, or begin with ~/.

        Environment variables:

          SEALITE_KEY_FILE         as --key-file
          SEALITE_PASSPHRASE_FILE  as --passphrase-file
          SEALITE_STORE            as --store

        The first of these counts: an option, an environment variable, a credential of
        systemd (sealite.key, sealite.passphrase or sealite.vault in
        $CREDENTIALS_DIRECTORY), the configuration file.
        """.withoutControlsInLines
    }
}
