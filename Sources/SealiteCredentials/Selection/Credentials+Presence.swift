internal import Glibc

extension Credentials {
    /// Returns whether there is any sign of a store on this machine: a session bus, a setting, or a vault's passphrase
    /// from systemd. Without any, no store can have a key, and the caller needn't wait for a store to respond.
    ///
    /// - Throws: errors from reading the setting.
    package static func mayHaveStore() throws(CredentialError) -> Bool {
        if variable("DBUS_SESSION_BUS_ADDRESS") != nil { return true }
        if let folder = variable("XDG_RUNTIME_DIR"), unsafe access(folder + "/bus", F_OK) == 0 { return true }
        if vaultKeyIsGivenBySystemd { return true }
        return try StoreSetting.current() != nil
    }

    /// A Boolean value that says whether systemd provides a vault's passphrase.
    package static var vaultKeyIsGivenBySystemd: Bool { vaultPassphrasePathOfSystemd != nil }

    /// The path of the vault's passphrase that systemd provides, also if the file can't be read; nil if it provides
    /// none. <https://systemd.io/CREDENTIALS>
    static var vaultPassphrasePathOfSystemd: String? {
        guard let folder = variable("CREDENTIALS_DIRECTORY") else { return nil }
        let path = folder + "/sealite.vault"
        guard unsafe access(path, F_OK) == 0 || errno != ENOENT else { return nil }
        return path
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
