internal import SealiteBase

/// The next steps after errors of sealed files: of their keys, headers, pages and logs, and of SQL on them.
package enum FileRemedy: Remedy, Hashable {
    /// Listing a file's key slots, the entries in its header that each unlock the file with one secret, after a secret
    /// fitted none of them or a slot was named that doesn't exist.
    case listSlots
    /// Naming the key slot that is to unlock a file, after trying all of its key slots would have cost too much.
    case nameSlot
    /// Giving the content of a file as a recovery key, after it was given as a raw key.
    case useAsRecoveryKey
    /// Giving the content of a file as a raw key, after it was given as a recovery key.
    case useAsRawKey
    /// Giving the content of a file as a passphrase if it is one, after it was given as a key.
    case useAsPassphrase
    /// Allowing more memory for the derivation of a key from a passphrase, after the derivation exceeded the limits.
    case raiseKeyMemory
    /// Deciding whether a key rotation keeps or drops a recovery slot, after the rotation was given no decision about
    /// it.
    case keepRecoverySlot
    /// Deciding what a key rotation does with key slots of which at least one isn't a recovery slot, after the rotation
    /// was given no decision about them.
    case decideSlots
    /// Waiting for the end of a key rotation that another connection or process runs.
    case awaitRotation
    /// Using the key that a key rotation was given, or completing the rotation with it, after a key was refused for a
    /// file whose rotation hasn't ended.
    case useKeyOfRotation
    /// Running a key rotation again, which continues the one that was stopped.
    case resumeRotation
    /// Unlocking a sealed file before SQLite opens it, after a key was given in a URI or a pragma.
    case unlockBeforeOpening
    /// Taking the content out of a file with the build of Sealite that wrote it, after the file was found to have a
    /// format that was removed before the first release.
    case exportByOldBuild
    /// Restoring the header of a sealed file, or the file from a backup, after neither of the two header copies was
    /// found.
    case restoreLostHeader
    /// Restoring the header of a sealed file, or the file from a backup, after the header was found damaged.
    case restoreHeader
    /// Restoring the header of a sealed file, or choosing which of its two header copies to keep, after someone without
    /// the key altered the header.
    case restoreOrAcceptHeader
    /// Encrypting a plain SQLite database, or opening it without encryption, after it was opened as a sealed one.
    case sealPlain
    /// Copying a database into a new file by a backup, after a counter in its header reached the maximum.
    case copyByBackup
    /// Creating a sealed database, or copying a plain one into a sealed one, after a write that doesn't fit the format
    /// of sealed pages was refused.
    case createSealed
    /// Creating a sealed database and unlocking it, after SQLite was to create a file and no unlocked database could
    /// supply the keys.
    case createAndUnlock
    /// Naming, in the URI parameter `parameter`, the unlocked database whose master key and key slots a new database
    /// takes.
    case nameTemplate(parameter: String)
    /// Writing a copy of a sealed database with another page size, after an attempt to change the page size, which is
    /// fixed.
    case changePageSize
    /// Trying again, or raising the timeout, after another connection held a lock on the database.
    case waitForLock
    /// Verifying a database to list all its damaged pages, and restoring it from a backup, after a page was found
    /// damaged.
    case listDamagedPages
    /// Verifying a database, after a part of its write-ahead log was found damaged.
    case verifyLog
    /// Keeping a rollback journal beside its database and verifying the database, after the journal was found damaged.
    case keepJournal
    /// Creating a sealed database before it is attached, after `ATTACH` named a file that doesn't exist.
    case attachMissing
    /// Unlocking a sealed database before it is attached, after `ATTACH` named one that is locked.
    case attachLocked
    /// Attaching a plain database by a URI with `vfs=unix`, or encrypting it first, after `ATTACH` named it like a
    /// sealed one.
    case attachPlain
    /// Giving a parameter of an SQL statement a name and a value, after a parameter with a number or without a name had
    /// no value.
    case nameParameter
    /// Giving the parameter `name` of an SQL statement a value.
    case giveParameter(name: String)

    package var text: String {
        switch self {
        case .listSlots: "list the key slots"
        case .nameSlot: "name the slot"
        case .useAsRecoveryKey: "this is a recovery key: give it as a recovery key, not as a raw key"
        case .useAsRawKey: "this is a raw key: give it as a raw key, not as a recovery key"
        case .useAsPassphrase: "if this is a passphrase, give it as a passphrase, not as a key"
        case .raiseKeyMemory: "raise the limit on memory only if you created this file"
        case .keepRecoverySlot: "keep the recovery slot by its fingerprint, or drop it"
        case .decideSlots:
            "supply the slot's secret, give it a new one, or drop it; keep a recovery slot by its fingerprint"
        case .awaitRotation: "the next rotation can begin when this one has ended"
        case .useKeyOfRotation:
            "the file's key slots are already those of the rotation: use the key that it was given; the next rotation with"
                + " that key continues it"
        case .resumeRotation: "the next rotation continues it"
        case .unlockBeforeOpening: "unlock the file before opening it, and change keys in its key slots"
        case .exportByOldBuild:
            "export the content with the build of Sealite that wrote the file, and import it into a new file"
        case .restoreLostHeader:
            "if it was a sealed database, restore a saved header or a backup; a new database is created under"
                + " another name"
        case .restoreHeader: "restore a saved header, or take the file from a backup"
        case .restoreOrAcceptHeader: "restore a saved header, or choose the header copy to keep"
        case .sealPlain:
            "copy the plain database into a sealed one, or open it unencrypted with sqlite3 or a URI with vfs=unix"
        case .copyByBackup: "copy the database into a new file by a backup"
        case .createSealed: "create a sealed database, or copy a plain one into a sealed one"
        case .createAndUnlock: "create a sealed database, then unlock it"
        case .nameTemplate(let parameter): "name an unlocked database by its database id: 'file:PATH?\(parameter)=ID'"
        case .changePageSize:
            "write a copy with another page size: copy the database into a plain one, and that into a"
                + " sealed one"
        case .waitForLock: "another connection holds a lock: try again, or raise the timeout"
        case .listDamagedPages:
            "verify the database to list every damaged page, then restore the database from a backup"
        case .verifyLog: "verify the database to see what the log still holds"
        case .keepJournal: "nothing was rolled back; keep the journal beside the file and verify the database"
        case .attachMissing: "create the database first; a plain database that exists is named by 'file:PATH?vfs=unix'"
        case .attachLocked: "unlock the database first"
        case .attachPlain: "name the plain database by 'file:PATH?vfs=unix', or copy it into a sealed one"
        case .nameParameter: "use a name such as $a instead, and give it a value"
        case .giveParameter(let name): "give \(name) a value"
        }
    }
}
