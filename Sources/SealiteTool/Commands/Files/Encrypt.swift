import ArgumentParser
import SealiteFile
import SealiteMaintenance

/// The command `sealite encrypt`, which writes a sealed copy of a plain SQLite database.
struct Encrypt: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encrypt",
        abstract: "Seal a copy of a plain SQLite database, or of one that SQLCipher encrypted.",
        discussion: """
            The copy has the same rowids, user_version, application_id, encoding, auto_vacuum, journal mode and page \
            size. Every table is compared before the copy gets its name. The plain file isn't changed or removed: \
            remove it yourself, and note that its content may remain on the disk.

            With --from the old database is one that SQLCipher or SQLite3MultipleCiphers encrypted. It is decrypted in \
            memory only, and each page's authentication is checked. --from sqlcipher reads SQLCipher 4; \
            --old-setting cipher_compatibility=3 that of version 3. AEGIS, Ascon and RC4 aren't read: copy such a \
            database to another cipher with the shell of SQLite3MultipleCiphers.

            A schema may need collations or functions that only the database's own program has. They are named, and \
            --load-extension loads an SQLite extension that supplies them.

            Example: sealite encrypt plain.db sealed.db --key-file sealed.key

            Example: sealite encrypt old.db new.db --from sqlcipher --old-passphrase-file old.txt --key-file new.key
            """)

    @Argument(help: "The plain database, or with --from that of another program.", completion: .file())
    var plain: String

    @Argument(help: "The sealed database to create.", completion: .file())
    var database: String

    @OptionGroup var key: NewKeyOptions
    @OptionGroup var foreign: ForeignOptions

    @OptionGroup var extensions: ExtensionOptions

    @Option("bytes", help: "Another page size: a power of two from 1024 to 65536.")
    var pageSize: Int?

    @OptionGroup var wait: WaitOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try NewFile.requireFree(database)
        Leftovers.tell(beside: database)
        guard let encryption = try foreign.encryption() else {
            return try withOptions { try encrypt($0, $1) }
        }
        // Read before the new secret, in the order in which a user is asked.
        let old = Shared(try foreign.key(of: plain, key.asking.permission))
        guard foreign.skipDamaged else { return try withOptions { try encrypt(encryption, old.key, $0, $1) } }
        var report: SalvageReport?
        try withOptions {
            let made = try salvage(encryption, old.key, $0, $1)
            report = made
            return made.databaseID
        }
        // Only now: an error before would withdraw the key of the new database from the credential store.
        guard let report, !report.isComplete else { return }
        throw ToolError(
            .damaged, code: "incomplete", "not all of \"\(plain)\" could be carried over",
            hint: "keep it, and look at the lost parts above")
    }

    /// Passes the secret and the options of the new database to `make`, which returns the id of the new file.
    private func withOptions(_ make: (borrowing NewSlotSecret, EncryptionOptions) throws -> String) throws {
        try key.withSecret(for: database) { secret, slotID, recovery in
            var options = EncryptionOptions(pageSize: pageSize, label: key.label, recoveryKey: recovery)
            options.slotID = slotID
            options.extensions = extensions.loadExtension
            return try make(secret, options)
        }
    }

    /// Encrypts the database and returns the id of the new file.
    private func encrypt(_ secret: borrowing NewSlotSecret, _ options: EncryptionOptions) throws -> String {
        let progress = ProgressReporter(json: output.json)
        defer { progress.finish() }
        let made = try SealedDatabase.encrypt(plain: plain, to: database, slot: secret, options: options) {
            progress.report($0)
        }
        progress.finish()
        made.report.print(path: database, verb: "sealed", json: output.json)
        if !output.json { Console.confirm("the plain file \"\(plain)\" is still there, unchanged and in clear") }
        return made.database.databaseID
    }

    /// Seals a copy of a database of another program and returns the id of the new file.
    private func encrypt(
        _ encryption: ForeignEncryption, _ key: borrowing ForeignKey, _ secret: borrowing NewSlotSecret,
        _ options: EncryptionOptions
    ) throws -> String {
        let progress = ProgressReporter(json: output.json)
        defer { progress.finish() }
        let made = try SealedDatabase.encrypt(
            foreign: plain, as: encryption, key: key, to: database, slot: secret,
            acceptsUnauthenticated: foreign.acceptUnauthenticated, options: options
        ) { progress.report($0) }
        progress.finish()
        made.report.print(path: database, verb: "sealed", json: output.json)
        return made.database.databaseID
    }

    /// Carries over what is left of a damaged database of another program, and prints the report.
    private func salvage(
        _ encryption: ForeignEncryption, _ key: borrowing ForeignKey, _ secret: borrowing NewSlotSecret,
        _ options: EncryptionOptions
    ) throws -> SalvageReport {
        let progress = ProgressReporter(json: output.json)
        defer { progress.finish() }
        let report = try SealedDatabase.salvage(
            foreign: plain, as: encryption, key: key, to: database, slot: secret,
            acceptsUnauthenticated: foreign.acceptUnauthenticated, options: options
        ) { progress.report($0, pageSize: encryption.pageSize) }
        progress.finish()
        if output.json { try Report.printJSON(report) } else { report.print() }
        return report
    }
}

/// A key of another program that a closure uses.
private final class Shared: Sendable {
    let key: ForeignKey

    init(_ key: consuming ForeignKey) { self.key = key }
}

extension ProgressReporter {
    func report(_ progress: CopyProgress) -> Bool {
        report(progress.phase.rawValue, completed: progress.completed, total: progress.total)
        return true
    }
}

extension CopyReport {
    func print(path: String, verb: String, json: Bool) {
        guard !json else {
            let hasPages = pageCount > 0
            return Console.print([
                "path": path, "tables": hasPages ? JSONValue.null : tableCount.json,
                "rows": hasPages ? JSONValue.null : rowCount.json,
                "pages": hasPages ? pageCount.json : JSONValue.null, "pageSize": pageSize,
                "sourcePageSize": sourcePageSize, "journalMode": journalMode, "bytes": byteCount,
                "reservedBytes": reservedByteCount,
            ])
        }
        let compared =
            pageCount > 0
            ? counted(pageCount, "page") : "\(counted(tableCount, "table")) and \(counted(rowCount, "row"))"
        Console.confirm("\(verb) \"\(path)\": \(compared) compared, \(sizeText(byteCount))")
        if pageSize != sourcePageSize {
            Console.confirm("the page size is \(pageSize) bytes; the source has \(sourcePageSize)")
        }
    }
}

/// The command `sealite decrypt`, which writes a plain copy of a sealed database.
struct Decrypt: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrypt",
        abstract: "Write a plain copy of a sealed database.",
        discussion: """
            Asks for confirmation, because everyone who can read the copy can read all of its content. The sealed \
            file isn't changed, and an existing file is never replaced.

            Example: sealite decrypt sealed.db plain.db --key-file sealed.key --yes
            """)

    @Argument(help: "The sealed database.", completion: .file())
    var database: String

    @Argument(help: "The plain database to make.", completion: .file())
    var plain: String

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var extensions: ExtensionOptions
    @OptionGroup var options: DocumentOptions

    func run() throws {
        try NewFile.requireFree(plain)
        Leftovers.tell(beside: plain)
        try confirmation.require(
            "Write the content of \(database) in clear to \(plain)?", options.key.asking.permission,
            act: "writing \"\(plain)\" in clear", refusal: "nothing was written")
        let sealed = try options.unlock(database)
        try extensions.load(for: sealed)
        let progress = ProgressReporter(json: options.output.json)
        defer { progress.finish() }
        let report = try sealed.decrypt(to: plain) { progress.report($0) }
        progress.finish()
        report.print(path: plain, verb: "wrote", json: options.output.json)
        if report.reservedByteCount > 0, !options.output.json {
            Console.print(
                "\(report.reservedByteCount) bytes of each page of the copy stay reserved, because the database couldn't be copied row by row"
            )
        }
    }

}
