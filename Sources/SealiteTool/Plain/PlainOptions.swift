import ArgumentParser
import SealiteCrypto

// The shared options of plain command lines. Each initializer sets every property, because one that swift-argument-parser
// didn't set ends the process when it is read; checks follow where they can't have an effect on a command line that turns
// out not to be plain.

extension DatabaseArgument {
    init(plain path: String) {
        self.init()
        database = path
    }
}

extension CollectionOptions {
    init(plain words: inout PlainArguments) throws(NotPlain) {
        self.init()
        collection = try words.value("--collection", as: CollectionArgument.self) ?? .standard
    }
}

extension OwnKeyOptions {
    init(plain words: inout PlainArguments) throws(NotPlain) {
        self.init()
        passphraseFile = try words.value("--passphrase-file", "-p")
        passphraseFd = try words.value("--passphrase-fd", as: Int32.self)
        passphraseCommand = try words.value("--passphrase-command")
        keyFile = try words.value("--key-file", "-k")
    }
}

extension KeySourceOptions {
    init(plain words: inout PlainArguments) throws {
        self.init()
        own = try OwnKeyOptions(plain: &words)
        recoveryKeyFile = try words.value("--recovery-key-file")
        unlockSlot = try words.value("--unlock-slot", as: SlotName.self)
        maxKdfMemory = nil
        try validate()
    }
}

extension StoreOptions {
    /// The options of a command that names no store; one that does isn't plain.
    static var plain: StoreOptions {
        var options = StoreOptions()
        options.store = nil
        options.vault = nil
        options.vaultPassphraseFile = nil
        options.vaultPassphraseFd = nil
        options.vaultKeyFile = nil
        options.vaultRecoveryKeyFile = nil
        options.vaultMaxKdfMemory = nil
        options.vaultKdfLogN = Scrypt.Cost.default.logN
        options.storeCollection = nil
        options.allowUnencryptedSession = false
        options.storeTimeout = nil
        return options
    }
}

extension AttachOptions {
    /// The options of a command that attaches no database; one that does isn't plain.
    static var none: AttachOptions {
        var options = AttachOptions()
        options.attach = []
        options.attachKeyFile = []
        options.attachPassphraseFile = []
        return options
    }
}

extension AskingOptions {
    init(plain words: inout PlainArguments) throws {
        self.init()
        prompt = words.flag("--prompt")
        noInput = words.flag("--no-input")
        try validate()
    }
}

extension KeyOptions {
    init(plain words: inout PlainArguments) throws {
        self.init()
        source = try KeySourceOptions(plain: &words)
        store = .plain
        asking = try AskingOptions(plain: &words)
    }
}

extension ExtensionOptions {
    init(plain words: inout PlainArguments) throws {
        self.init()
        loadExtension = try words.values("--load-extension", as: String.self)
    }
}

extension FreshnessOptions {
    init(plain words: inout PlainArguments) throws {
        self.init()
        recordPath = try words.value("--freshness")
        acceptRollback = words.flag("--accept-rollback")
        try validate()
    }
}

extension WaitOptions {
    /// The caller checks them when the whole command line is known to be plain, because the check sets the default of
    /// all connections.
    init(plain words: inout PlainArguments) throws(NotPlain) {
        self.init()
        timeout = try words.value("--timeout", as: Double.self) ?? 5
    }
}

extension OutputOptions {
    /// The caller checks them when the whole command line is known to be plain, because the check sets what the console
    /// writes.
    init(plain words: inout PlainArguments) throws(NotPlain) {
        self.init()
        json = words.flag("--json")
        quiet = words.flag("--quiet", "-q")
        verbose = words.flag("--verbose", "-v")
        guard !quiet || !verbose else { throw NotPlain() }
    }
}

extension DocumentOptions {
    init(plain words: inout PlainArguments) throws {
        self.init()
        key = try KeyOptions(plain: &words)
        freshness = try FreshnessOptions(plain: &words)
        wait = try WaitOptions(plain: &words)
        output = try OutputOptions(plain: &words)
    }

    /// Checks the options whose check has an effect, as the last step of reading a plain command line.
    func validateLast() throws {
        try wait.validate()
        try output.validate()
    }
}
