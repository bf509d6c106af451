internal import Glibc

/// The location of a vault and its required permissions: a file that only its owner can access, in such a folder.
enum VaultLocation {
    static func resolve(_ path: String?) throws(CredentialError) -> String {
        if let path { return path }
        return try standardPath()
    }

    /// Returns the standard path, `$XDG_DATA_HOME/sealite/vault.db`.
    /// <https://specifications.freedesktop.org/basedir-spec/latest/>
    static func standardPath() throws(CredentialError) -> String {
        try base("XDG_DATA_HOME", "/.local/share") + "/sealite/vault.db"
    }

    /// Returns the folder that an environment variable names, if it is an absolute path; otherwise the folder `inHome`,
    /// such as `/.config`, of the user's home.
    static func base(_ name: String, _ inHome: String) throws(CredentialError) -> String {
        if let folder = variable(name), folder.hasPrefix("/") { return folder }
        guard let home = variable("HOME"), home.hasPrefix("/") else {
            throw CredentialError(
                .invalidArgument,
                "neither the environment variable \(name) nor HOME holds a path that begins with a slash",
                hint: "set HOME")
        }
        return home + inHome
    }

    static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// Creates the folder of the file at `path`, and its missing parents, with mode 0700. Existing folders aren't
    /// changed.
    static func makeFolder(for path: String) throws(CredentialError) {
        let folder = folder(of: path)
        var made = folder.hasPrefix("/") ? "" : "."
        for name in folder.split(separator: "/") {
            made += "/" + name
            guard unsafe mkdir(made, 0o700) != 0, errno != EEXIST else { continue }
            let number = errno
            // An error for a parent folder is ignored if the folder exists.
            var status = stat()
            guard unsafe stat(made, &status) != 0 else { continue }
            throw refusal(made, "making the folder failed: \(unsafe String(cString: strerror(number)))", hint: nil)
        }
    }

    /// Throws `permission` if the vault's file isn't a regular file, or if it or its folder belongs to another user or
    /// can be accessed by other users, and `noVault` if one of them doesn't exist.
    static func check(_ path: String, user: uid_t = geteuid()) throws(CredentialError) {
        try checkFolder(of: path, user: user)
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            guard errno == ENOENT else {
                throw refusal(
                    path, "its owner and mode can't be read: \(unsafe String(cString: strerror(errno)))", hint: nil)
            }
            throw CredentialError.noVault(path)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw refusal(
                path, "it isn't a regular file, or is a symbolic link", hint: "name the vault's file itself")
        }
        guard status.st_uid == user else { throw refusal(path, "it belongs to another user", hint: ownVault) }
        guard status.st_mode & 0o077 == 0 else {
            throw refusal(
                path, "other users have access to it (mode 0\(octal(status)))", hint: "make it 0600 with 'chmod'")
        }
    }

    /// Throws `permission` if the folder of the file at `path` belongs to another user or can be accessed by other
    /// users, and `noVault` if the folder doesn't exist.
    static func checkFolder(of path: String, user: uid_t = geteuid()) throws(CredentialError) {
        let folder = folder(of: path)
        var status = stat()
        guard unsafe stat(folder, &status) == 0 else {
            guard errno == ENOENT else {
                throw refusal(
                    folder, "its owner and mode can't be read: \(unsafe String(cString: strerror(errno)))", hint: nil)
            }
            throw CredentialError.noVault(path)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw refusal(folder, "it isn't a folder", hint: nil) }
        guard status.st_uid == user else {
            throw refusal(folder, "the vault's folder belongs to another user", hint: ownVault)
        }
        guard status.st_mode & 0o077 == 0 else {
            throw refusal(
                folder, "other users have access to the vault's folder (mode 0\(octal(status)))",
                hint: "make it 0700 with 'chmod'")
        }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static let ownVault = "run the program as the owner of the vault, or choose a vault in a folder of your own"

    private static func octal(_ status: stat) -> String { String(status.st_mode & 0o777, radix: 8) }

    private static func refusal(_ path: String, _ why: String, hint: String?) -> CredentialError {
        CredentialError(.permission, "\"\(path)\": \(why)", hint: hint)
    }
}
