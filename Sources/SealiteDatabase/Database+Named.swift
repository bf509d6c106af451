internal import Glibc
internal import SealiteCrypto
public import SealiteFile

extension Database {
    /// Returns the path of the folder of databases that are opened by name: `sealite` in `$XDG_DATA_HOME`, or in
    /// `~/.local/share` if that variable isn't set to an absolute path.
    ///
    /// - Throws: `cantOpenFile` for a process without a home folder.
    public static func defaultDirectory() throws -> String {
        if let folder = variable("XDG_DATA_HOME"), folder.hasPrefix("/") { return folder + "/sealite" }
        guard let home = variable("HOME"), home.hasPrefix("/") else {
            throw DatabaseError(
                .cantOpenFile,
                "there is no folder for databases: neither XDG_DATA_HOME nor HOME is set to an absolute path",
                hint: "set one of the variables, or give the folder of the database")
        }
        return home + "/.local/share/sealite"
    }

    /// Opens the database `NAME.db` in a folder; if there is no such file, creates it with a key slot for the key.
    ///
    /// With a passphrase this takes as long as scrypt, about half a second: don't call it on an executor that must not
    /// block.
    ///
    /// - Parameters:
    ///   - name: the file's name without `.db`; it isn't empty, contains no slash and doesn't start with a dot.
    ///   - key: a passphrase, a raw key or a recovery key.
    ///   - directory: the folder, which is created if it doesn't exist; nil for ``defaultDirectory()``.
    ///   - configuration: the configuration of the database.
    /// - Throws: `badName` for an invalid name, `invalidParameter` for a recovery key if there is no file yet, and the
    ///   errors of `open(_:key:limits:configuration:)` and `create(_:slot:options:configuration:)`.
    public convenience init(
        name: String, key: borrowing UnlockKey, directory: String? = nil,
        configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) throws {
        guard !name.isEmpty, !name.contains("/"), !name.hasPrefix("."), !name.utf8.contains(0) else {
            throw DatabaseError(
                .badName,
                "the name of a database can't be empty, start with a dot, or contain a slash or a null character")
        }
        let folder = try directory ?? Self.defaultDirectory()
        let path = "\(folder)/\(name).db"
        guard unsafe access(path, F_OK) != 0 else {
            try self.init(file: try SealedDatabase.open(path, key: key), configuration: configuration)
            return
        }
        try Self.makeFolder(folder)
        try self.init(file: try SealedDatabase.create(path, slot: key.newSecret()), configuration: configuration)
    }

    private static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Creates a folder, and the missing folders that contain it, accessible only to the user.
    private static func makeFolder(_ path: String) throws {
        var current = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            current += "/" + part
            guard unsafe mkdir(current, 0o700) != 0, errno != EEXIST, errno != EISDIR, errno != EROFS else { continue }
            throw DatabaseError(
                errno: errno, "the folder \"\(current)\" can't be created", otherwise: .cantOpenFile)
        }
    }
}

extension UnlockKey {
    /// Returns the secret for a new key slot that this key opens.
    ///
    /// - Throws: `invalidParameter` for a recovery key.
    fileprivate borrowing func newSecret() throws -> NewSlotSecret {
        switch self {
        case .passphrase(let bytes): return .passphrase(bytes.duplicate())
        case .rawKey(let bytes): return .rawKey(bytes.duplicate())
        case .recoveryKey:
            throw DatabaseError(
                .invalidParameter, "a database can't be created with a recovery key alone",
                hint: "create the database with a passphrase or a raw key")
        }
    }
}
