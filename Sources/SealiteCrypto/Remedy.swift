internal import Synchronization

/// The next step after an error, in the words of the program that shows the error.
///
/// A library doesn't know which commands and options a program has. It says what to do (``text``), and the command line
/// replaces that with the command that does it (``use(wording:)``).
package enum Remedy: Sendable, Hashable {
    // MARK: Credentials

    /// Log in to a server again.
    case logIn
    /// Store another password.
    case storePassword
    /// Store a credential.
    case storeCredential
    /// Name one of several accounts.
    case nameAccount
    /// Let a move replace credentials.
    case replaceMoved
    /// Let an import replace credentials.
    case replaceImported
    /// Choose the user's credential store again.
    case chooseStore
    /// Give the key of a vault.
    case giveVaultKey
    /// Use a vault that exists.
    case useVault(path: String)
    /// Use a new vault.
    case useNewVault
    /// Make a vault.
    case makeVault
    /// List the collections of the Secret Service.
    case listCollections
    /// Give the Secret Service more time.
    case waitForStore

    // MARK: Key slots and rotation

    /// List the key slots.
    case listSlots
    /// Name the slot that unlocks.
    case nameSlot
    /// Don't name the slot that unlocks.
    case leaveOutSlot
    /// Give a secret as a recovery key rather than as a key of another kind.
    case useAsRecoveryKey
    /// Allow more memory for a passphrase.
    case raiseKeyMemory
    /// Obtain proof that the owner created a file that only an unauthenticated slot opened.
    case proveFile
    /// Decide whether to convert, keep or drop an unauthenticated slot.
    case replaceUnauthenticatedSlot
    /// Decide whether to keep or drop a recovery slot.
    case keepRecoverySlot
    /// Decide what happens to slots of several kinds.
    case decideSlots
    /// Wait for a rotation.
    case awaitRotation
    /// Resume a rotation.
    case resumeRotation
    /// Unlock a file before SQLite opens it.
    case unlockBeforeOpening

    // MARK: Files

    /// Restore a header whose two copies are lost.
    case restoreLostHeader
    /// Restore a damaged header.
    case restoreHeader
    /// Restore a saved header, or decide for a copy, after a header copy was altered without the key.
    case restoreOrAcceptHeader
    /// Encrypt a plain database.
    case sealPlain
    /// Change or copy a sealed database.
    case copySealed
    /// Copy a database into a new file.
    case copyByBackup
    /// Create sealed databases.
    case createSealed
    /// Create a database and unlock it.
    case createAndUnlock
    /// Name the database whose master key and key slots a new database takes.
    case nameTemplate(parameter: String)
    /// Change the page size.
    case changePageSize
    /// Wait for a lock.
    case waitForLock

    // MARK: Damage and rollback

    /// List damaged pages.
    case listDamagedPages
    /// Verify a write-ahead log.
    case verifyLog
    /// Keep a damaged journal.
    case keepJournal
    /// Verify the source of a backup.
    case verifySource
    /// Name a freshness record.
    case nameFreshnessRecord
    /// Make the first freshness record.
    case makeFreshnessRecord
    /// Accept a rollback.
    case acceptRollback

    // MARK: SQL, documents and queries

    /// Create a database before it is attached.
    case attachMissing
    /// Unlock a database before it is attached.
    case attachLocked
    /// Attach a plain database.
    case attachPlain
    /// Name a parameter.
    case nameParameter
    /// Give a parameter a value.
    case giveParameter(name: String)
    /// Open the database as a database of tables, since it isn't a document database.
    case openTables
    /// List the collections of a database.
    case listDocumentCollections
    /// Rebuild an index.
    case rebuildIndex
    /// Fetch the content of a blob.
    case fetchBlob
    /// Create a full-text index.
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

    /// The next step for a program that uses the library.
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
        case .useVault(let path): "or use the vault \"\(path)\" with its passphrase"
        case .useNewVault: "or use a vault"
        case .makeVault: "allow the store policy to create a vault"
        case .listCollections: "list the existing collections"
        case .waitForStore:
            "a slow machine needs a longer limit; otherwise the provider waits for the answer to a prompt, or"
                + " hangs"
        case .listSlots: "list the key slots"
        case .nameSlot: "name the slot"
        case .leaveOutSlot: "don't name the slot, so that the other slot opens the file"
        case .useAsRecoveryKey: "this is a recovery key: give it as a recovery key, not as a raw key"
        case .raiseKeyMemory: "raise the limit on memory only if you created this file"
        case .proveFile:
            "open the file with another secret, check it against a freshness record of this version, or trust it,"
                + " if you are certain that nobody replaced the file"
        case .replaceUnauthenticatedSlot:
            "supply the slot's recovery key, which converts the slot; or decide to keep it unauthenticated, or to drop it"
        case .keepRecoverySlot: "keep the recovery slot by its fingerprint, or drop it"
        case .decideSlots:
            "supply the slot's secret, give it a new one, or drop it; keep a recovery slot by its fingerprint"
        case .awaitRotation: "the next rotation can begin when this one has ended"
        case .resumeRotation: "the next rotation continues it"
        case .unlockBeforeOpening: "unlock the file before opening it, and change keys in its key slots"
        case .restoreLostHeader:
            "if it was a sealed database, restore a saved header or a backup; a new database is created under"
                + " another name"
        case .restoreHeader: "restore a saved header, or take the file from a backup"
        case .restoreOrAcceptHeader: "restore a saved header, or choose the header copy to keep"
        case .sealPlain:
            "copy the plain database into a sealed one, or open it unencrypted with sqlite3 or a URI with vfs=unix"
        case .copySealed: "change the database's keys in its key slots, or copy it by a backup"
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
        case .verifySource: "verify the source; a salvage recovers the authentic data of a damaged file"
        case .nameFreshnessRecord: "name the file of a record, or move this one away to begin a new record"
        case .makeFreshnessRecord: "if there was no record before, make the first one; otherwise someone removed it"
        case .acceptRollback:
            "find out who put the older file there; after a deliberate restore, a policy that accepts rollbacks"
                + " replaces the record"
        case .attachMissing: "create the database first; a plain database that exists is named by 'file:PATH?vfs=unix'"
        case .attachLocked: "unlock the database first"
        case .attachPlain: "name the plain database by 'file:PATH?vfs=unix', or copy it into a sealed one"
        case .nameParameter: "use a name such as $a instead, and give it a value"
        case .giveParameter(let name): "give \(name) a value"
        case .openTables: "open the file as a sealed database of tables"
        case .listDocumentCollections: "names of collections are case-sensitive"
        case .rebuildIndex: "maintenance of the kind \"reindex\" rebuilds it"
        case .fetchBlob: "export the database that has the blob, or fetch the blob by a sync"
        case .createTextIndex(let on, _): "MATCH takes the name of a full-text index on \(on)"
        }
    }
}
