internal import Glibc
internal import SealiteBase
internal import SealiteFile
internal import SealiteMaintenance

/// A user's choice of a store: a line in `$XDG_CONFIG_HOME/sealite/credential-store`. It is written only on request.
public struct StoreSetting: Sendable, Hashable {
    /// The store that the setting selects.
    public let choice: StoreChoice
    /// The path of the vault's file; nil for the standard path, and always nil if the store isn't the vault.
    public let vaultPath: String?

    private static let byteLimit = 4200

    /// Creates a setting; ``save()`` stores it.
    public init(choice: StoreChoice, vaultPath: String? = nil) {
        self.choice = choice
        self.vaultPath = choice == .vault ? vaultPath : nil
    }

    /// Returns the saved setting; nil if there is none, or no folder for settings is known.
    ///
    /// - Throws: `damaged` for a file that isn't a setting, `permission`, `providerFailed`.
    public static func current() throws(CredentialError) -> StoreSetting? {
        // A service without a home folder has no setting.
        guard let path = try? path() else { return nil }
        do throws(SealedFileError) {
            guard let bytes = try StateFile.read(path, limit: byteLimit) else { return nil }
            return try parse(bytes, path)
        } catch {
            throw CredentialError(vault: error)
        }
    }

    private static func parse(_ bytes: [UInt8], _ path: String) throws(SealedFileError) -> StoreSetting {
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n", maxSplits: 1).first ?? ""
        let words = line.split(separator: " ", maxSplits: 1)
        guard let word = words.first, let choice = StoreChoice(rawValue: String(word)) else {
            throw SealedFileError(
                .damagedHeader,
                "\"\(path)\" names no credential store: it has to begin with the word secret-service or vault",
                hint: CredentialRemedy.chooseStore.hint)
        }
        let vaultPath = words.count > 1 ? String(words[1]) : nil
        guard vaultPath?.hasPrefix("/") ?? true else {
            throw SealedFileError(
                .damagedHeader, "\"\(path)\": the path of the vault in it doesn't begin with a slash",
                hint: CredentialRemedy.chooseStore.hint)
        }
        return StoreSetting(choice: choice, vaultPath: vaultPath)
    }

    /// Saves the setting for every program of the user.
    ///
    /// - Throws: `permission`, `diskFull`, `providerFailed`; `invalidArgument` if the vault's path is relative or
    ///   contains a line end, or if neither `XDG_CONFIG_HOME` nor `HOME` names a folder.
    public func save() throws(CredentialError) {
        guard vaultPath.map({ $0.hasPrefix("/") && !$0.contains("\n") }) ?? true else {
            throw CredentialError(.invalidArgument, "the vault's path has to begin with a slash and hold no line end")
        }
        let path = try Self.path()
        try VaultLocation.makeFolder(for: path)
        let line = choice.rawValue + (vaultPath.map { " " + $0 } ?? "") + "\n"
        do throws(SealedFileError) {
            try StateFile.replace(path, with: Array(line.utf8))
        } catch {
            throw CredentialError(vault: error)
        }
    }

    /// Removes the setting; a missing setting isn't an error, nor that no folder for settings is known.
    ///
    /// - Throws: `permission`, `providerFailed`.
    public static func remove() throws(CredentialError) {
        guard let path = try? path() else { return }
        guard unsafe unlink(path) != 0, errno != ENOENT else { return }
        throw CredentialError(vault: SealedFileError(errno: errno, doing: "removing", path))
    }

    private static func path() throws(CredentialError) -> String {
        try VaultLocation.base("XDG_CONFIG_HOME", "/.config") + "/sealite/credential-store"
    }
}
