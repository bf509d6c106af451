internal import Synchronization

/// The next step after an error, in the words of the program that shows the error.
///
/// A library doesn't know which commands and options a program has. It says what to do (``text``), and the command line
/// replaces that with the command that does it (``use(wording:)``).
package enum Remedy: Sendable, Hashable {
    // MARK: Credentials

    /// Logging in to a server again, after there was no session with it or the session had ended.
    case logIn
    /// Storing the right password, after a server refused the name or password that was stored.
    case storePassword
    /// Storing a credential, after none was found for a service.
    case storeCredential
    /// Naming one account, after credentials of several accounts were found for a service.
    case nameAccount
    /// Allowing a move of credentials between stores to replace one, or removing one of the two, after the destination
    /// held a different credential under the same name.
    case replaceMoved
    /// Allowing an import to replace a credential, or removing it, after the store held a different credential under
    /// the same name.
    case replaceImported
    /// Choosing the user's credential store again, after the file that records the choice named none, or a
    /// vault by a relative path.
    case chooseStore
    /// Giving the key or passphrase of a vault, an encrypted file of credentials, after none was given.
    case giveVaultKey
    /// Using the vault at `path`, an encrypted file of credentials that exists, after the desktop's Secret Service
    /// couldn't be used.
    case useVault(path: String)
    /// Using a vault, an encrypted file of credentials that doesn't exist yet, after the desktop's Secret Service
    /// couldn't be used.
    case useNewVault
    /// Allowing a vault, an encrypted file of credentials, to be created, after it was found not to exist.
    case makeVault
    /// Listing the collections (keyrings) of the Secret Service, after one of them or an item no longer existed.
    case listCollections
    /// Giving the Secret Service more time, after it didn't answer within the limit.
    case waitForStore

    // MARK: Key slots and rotation

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

    // MARK: Files

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
    /// Changing the keys of a sealed database, or copying it by a backup, after it was to be encrypted although it is
    /// sealed already.
    case copySealed
    /// Copying a database into a new file by a backup, after a counter in its header reached the maximum.
    case copyByBackup
    /// Copying a backup of a sealed database into a plain one, after the database itself was written to during each
    /// attempt to copy it.
    case copyBackup
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

    // MARK: Damage and rollback

    /// Verifying a database to list all its damaged pages, and restoring it from a backup, after a page was found
    /// damaged.
    case listDamagedPages
    /// Verifying a database, after a part of its write-ahead log was found damaged.
    case verifyLog
    /// Keeping a rollback journal beside its database and verifying the database, after the journal was found damaged.
    case keepJournal
    /// Verifying the source of a backup, after the copy was found damaged.
    case verifySource
    /// Naming a freshness record, a file that reveals when an older state of a database has replaced it, or beginning a
    /// new record, after a file of another kind was named.
    case nameFreshnessRecord
    /// Making the first freshness record, a file that reveals when an older state of a database has replaced it, after
    /// none was found.
    case makeFreshnessRecord
    /// Checking a database with the build of Sealite that wrote its freshness record, and making a new record, after the
    /// record was found to have a format that was removed before the first release.
    case renewFreshnessRecord
    /// Finding out who replaced a database by an older state, or accepting the older state, after a freshness record
    /// revealed the replacement.
    case acceptRollback

    // MARK: SQL, documents and queries

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
    /// Opening a database as one of tables, after it was found not to be a document database.
    case openTables
    /// Listing the collections of a document database, after a query named one that doesn't exist.
    case listDocumentCollections
    /// Rebuilding an index, after it was found damaged.
    case rebuildIndex
    /// Fetching the content of a blob from another database, by an export or a sync, after it wasn't found in this one.
    case fetchBlob
    /// Creating a full-text index on the property `on` of a collection (nil: the default collection), after a query
    /// named a full-text index that doesn't exist.
    case createTextIndex(on: String, collection: String?)
}

extension Remedy {
    private static let wording = Mutex<(@Sendable (Remedy) -> String)?>(nil)

    /// Sets the wording of the program for all remedies; a program without one shows ``text``.
    package static func use(wording: @escaping @Sendable (Remedy) -> String) { Self.wording.withLock { $0 = wording } }

    /// The hint of an error, in the wording that the program set with ``use(wording:)``; ``text`` if it set none.
    package var hint: String {
        guard let wording = Self.wording.withLock({ $0 }) else { return text }
        return wording(self)
    }

    /// The remedy in general words, which name no command of a program: for programs that set no wording of their own.
    package var text: String {
        switch self {
        case .logIn: "log in again"
        case .storePassword: "store the right password"
        case .storeCredential: "store a credential"
        case .nameAccount: "name the account"
        case .replaceMoved: "remove one of the two credentials, or let the move replace the one at the destination"
        case .replaceImported: "remove that credential, or let the import replace it"
        case .chooseStore: "choose a credential store again, or remove the file"
        case .giveVaultKey: "give the vault's key, or store it as the systemd credential sealite.vault"
        case .useVault(let path): "the vault \"\(path)\" can be used instead, with its passphrase or key"
        case .useNewVault: "a vault, an encrypted file of credentials, can be used instead"
        case .makeVault: "allow the store policy to create a vault"
        case .listCollections: "list the existing collections"
        case .waitForStore:
            "a slow machine needs a longer time limit; otherwise the program that provides the Secret Service waits"
                + " for the answer to a prompt, or hangs"
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
        case .copySealed: "change the database's keys in its key slots, or copy it by a backup"
        case .copyByBackup: "copy the database into a new file by a backup"
        case .copyBackup:
            "make a backup, for which no writer has to stop, and copy that; or stop the programs that write to it"
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
        case .verifySource: "verify the source; a salvage recovers the authentic data of a damaged file"
        case .nameFreshnessRecord: "name the file of a record, or move this one away to begin a new record"
        case .makeFreshnessRecord: "if there was no record before, make the first one; otherwise someone removed it"
        case .renewFreshnessRecord:
            "check the database against it with the build of Sealite that wrote it, then move it away and make a new record"
        case .acceptRollback:
            "find out who put the older file there; after a deliberate restore, a policy that accepts rollbacks"
                + " replaces the record"
        case .attachMissing: "create the database first; a plain database that exists is named by 'file:PATH?vfs=unix'"
        case .attachLocked: "unlock the database first"
        case .attachPlain: "name the plain database by 'file:PATH?vfs=unix', or copy it into a sealed one"
        case .nameParameter: "use a name such as $a instead, and give it a value"
        case .giveParameter(let name): "give \(name) a value"
        case .openTables: "open the file as a sealed database of tables"
        case .listDocumentCollections: "list the collections; their names are case-sensitive"
        case .rebuildIndex: "maintenance of the kind \"reindex\" rebuilds it"
        case .fetchBlob: "export the database that has the blob, or fetch the blob by a sync"
        case .createTextIndex(let on, _): "MATCH takes the name of a full-text index on \(on)"
        }
    }
}
