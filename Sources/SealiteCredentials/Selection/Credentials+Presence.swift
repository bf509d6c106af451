internal import Glibc

extension Credentials {
    /// Whether anything on this machine speaks for a store: a session bus, a setting, a vault's passphrase from systemd. Where
    /// nothing does, there is no store that could hold a key, and nobody has to wait to be told so.
    ///
    /// - Throws: what reading the setting throws.
    package static func mayHaveStore() throws(CredentialError) -> Bool {
        if variable("DBUS_SESSION_BUS_ADDRESS") != nil { return true }
        if let folder = variable("XDG_RUNTIME_DIR"), unsafe access(folder + "/bus", F_OK) == 0 { return true }
        if let folder = variable("CREDENTIALS_DIRECTORY"), unsafe access(folder + "/sealite.vault", F_OK) == 0 {
            return true
        }
        return try StoreSetting.current() != nil
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
