import ArgumentParser

/// Further databases of a session, each under a name. `ATTACH` in SQL finds the unlocked ones, so that keys never
/// appear in SQL.
struct AttachOptions: ParsableArguments {
    @Option(
        "name=file",
        help:
            "Attach another sealed database under a name. Its key comes from the same source as the first database's, unless another is given for that name. May be repeated."
    )
    var attach: [NamedPath] = []

    @Option(
        "name=file",
        help: "Read the raw key of the database that --attach gives this name from this file. May be repeated.")
    var attachKeyFile: [NamedPath] = []

    @Option(
        "name=file",
        help: "Read the passphrase of the database that --attach gives this name from this file. May be repeated.")
    var attachPassphraseFile: [NamedPath] = []

    func validate() throws {
        let names = attach.map { $0.name.lowercased() }
        if let name = Self.repeated(names) {
            throw ValidationError(
                "--attach gives two databases the name \"\(name)\"; upper and lower case don't distinguish names.")
        }
        let keyed = (attachKeyFile + attachPassphraseFile).map { $0.name.lowercased() }
        if let name = Self.repeated(keyed) {
            throw ValidationError(
                "--attach-key-file or --attach-passphrase-file is given twice for the attached database \"\(name)\"; it takes one key."
            )
        }
        if let stray = keyed.first(where: { !names.contains($0) }) {
            throw ValidationError(
                "--attach-key-file or --attach-passphrase-file is given for \"\(stray)\", but --attach gives no database that name."
            )
        }
    }

    /// Returns the first name that occurs more than once; nil if there is none.
    private static func repeated(_ names: [String]) -> String? {
        var seen: Set<String> = []
        return names.first { !seen.insert($0).inserted }
    }

    /// Returns the databases to attach, each with the source of its key; `key` is the source of the session's key.
    func attachments(_ key: KeyOptions) -> [(target: NamedPath, key: KeyOptions)] {
        attach.map { target in
            let isOfTarget = { (path: NamedPath) in path.name.lowercased() == target.name.lowercased() }
            let own = key.with(
                keyFile: attachKeyFile.first(where: isOfTarget)?.path,
                passphraseFile: attachPassphraseFile.first(where: isOfTarget)?.path)
            return (target, own ?? key.forAttached(nil))
        }
    }
}

extension KeyOptions {
    /// Returns the same options with another source of the key; nil if both arguments are nil.
    func with(keyFile: String?, passphraseFile: String?) -> KeyOptions? {
        guard keyFile != nil || passphraseFile != nil else { return nil }
        var other = self
        other.source.removeSources()
        (other.source.own.keyFile, other.source.own.passphraseFile) = (keyFile, passphraseFile)
        return other
    }

    /// Returns the options for a database that is attached: with the key that `given` names, otherwise with the same
    /// key, and with the slot that `given` names.
    func forAttached(_ given: KeyOptions?) -> KeyOptions {
        var other = self
        if let given, given.source.onCommandLine != nil { other.source = given.source }
        other.source.unlockSlot = given?.source.unlockSlot
        return other
    }
}

extension KeySourceOptions {
    fileprivate mutating func removeSources() {
        (own.keyFile, own.passphraseFile, own.passphraseFd, own.passphraseCommand) = (nil, nil, nil, nil)
        (recoveryKeyFile, unlockSlot) = (nil, nil)
    }
}

/// A path with a name: `old=archive.db`.
struct NamedPath: ExpressibleByArgument {
    let name: String
    let path: String

    init(name: String, path: String) {
        self.name = name
        self.path = path
    }

    init?(argument: String) {
        guard let sign = argument.firstIndex(of: "="), sign > argument.startIndex else { return nil }
        name = String(argument[..<sign])
        path = String(argument[argument.index(after: sign)...])
        guard !path.isEmpty else { return nil }
    }
}
