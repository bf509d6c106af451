import SealiteCrypto

// Only this file converts the next steps of library errors to hints with names of commands and options.
extension Remedy {
    /// The next step, as a hint for users of the command line.
    var command: String {
        switch self {
        case .logIn: "log in with 'sealite login'"
        case .storePassword: "store the right password with 'sealite credential set'"
        case .storeCredential: "store one with 'sealite credential set'"
        case .nameAccount: "name the account with --user"
        case .replaceMoved: "remove one of them, or replace it with --replace"
        case .replaceImported: "remove it, or use --replace"
        case .chooseStore: "set one with 'sealite credential use', or remove the file"
        case .giveVaultKey:
            "give it with --vault-passphrase-file or --vault-key-file, or as the systemd credential sealite.vault"
        case .useVault(let path):
            "or use the vault \"\(path)\": give its key with --vault-passphrase-file or --vault-key-file"
        case .useNewVault: "--store vault chooses a vault"
        case .makeVault: "'sealite credential set --store vault' makes one with the first credential"
        case .listCollections: "'sealite credential status' lists the collections"
        case .waitForStore:
            "a slow machine needs a longer limit (--store-timeout); otherwise the provider waits for the answer"
                + " to a prompt, or hangs: see 'sealite credential status'"
        case .listSlots: "list the slots with 'sealite key list'"
        case .nameSlot: "name the slot with --unlock-slot"
        case .leaveOutSlot: "leave out --unlock-slot, to open the file by the other slot"
        case .useAsRecoveryKey: "this is a recovery key: name it with --recovery-key-file"
        case .raiseKeyMemory: "raise --max-kdf-memory only if you created this file"
        case .proveFile:
            "open it with another secret, check it against a freshness record of this version with"
                + " --freshness, or, if you are certain that nobody replaced the file, say --trust-file"
        case .replaceUnauthenticatedSlot:
            "give its key with --also-recovery-key-file, which replaces it; or keep it as it is with"
                + " --keep-unauthenticated, or end it with --drop-slot"
        case .keepRecoverySlot: "keep it with --keep-recovery and its fingerprint, or end it with --drop-slot"
        case .decideSlots:
            "supply its secret, give it a new one, or name it in --drop-slot; keep a recovery slot with"
                + " --keep-recovery"
        case .awaitRotation: "'sealite info' shows how far it is; the next rotation can begin when it has ended"
        case .resumeRotation: "the next 'sealite key rotate' continues it"
        case .unlockBeforeOpening: "unlock the file before opening it, and change keys with 'sealite key'"
        case .restoreLostHeader:
            "if it was one, restore a saved header with 'sealite header restore', or a backup"
                + " with 'sealite restore --replace'; a new one is made with 'sealite create' under another name"
        case .restoreHeader: "restore it with 'sealite header restore' or take the file from a backup"
        case .restoreOrAcceptHeader:
            "restore it with 'sealite header restore', or decide for a copy with 'sealite header accept'"
        case .sealPlain: "encrypt it with 'sealite encrypt', or open it unencrypted with sqlite3 or a URI with vfs=unix"
        case .copySealed: "change its keys with 'sealite key', or copy it with 'sealite backup'"
        case .copyByBackup: "copy the database into a new file with 'sealite backup'"
        case .createSealed: "make sealed databases with 'sealite create' or 'sealite encrypt'"
        case .createAndUnlock: "make it with 'sealite create', then unlock it"
        case .nameTemplate(let parameter):
            "name one by its database id, which 'sealite info' shows: 'file:PATH?\(parameter)=ID'"
        case .changePageSize:
            "write a copy with another page size through 'sealite decrypt' and 'sealite encrypt'"
        case .waitForLock: "another connection holds a lock: try again, or raise --timeout"
        case .listDamagedPages:
            "copy the file first; 'sealite verify' lists every damaged page, 'sealite restore' and 'sealite salvage' bring back the data"
        case .verifyLog: "run 'sealite verify' to see what the log still holds"
        case .keepJournal: "nothing was rolled back; keep the journal beside the file and run 'sealite verify'"
        case .verifySource:
            "run 'sealite verify' on the source; 'sealite salvage' recovers the authentic data of a damaged file"
        case .nameFreshnessRecord:
            "name the file that '--freshness' wrote, or move this one away to begin a new record"
        case .makeFreshnessRecord:
            "make the first one with 'sealite freshness record'; if there was one, someone removed it"
        case .acceptRollback:
            "find out who put it there; after a deliberate restore, '--accept-rollback' moves the record"
        case .attachMissing:
            "make it with 'sealite create'; a plain database that exists is named by 'file:PATH?vfs=unix'"
        case .attachLocked:
            "unlock it first: 'sealite sql' does with --attach NAME=FILE, and with .attach when it asks"
        case .attachPlain: "name it by 'file:PATH?vfs=unix', or seal it with 'sealite encrypt'"
        case .nameParameter: "use a name such as $a instead, and give its value with --param a=VALUE"
        case .giveParameter(let name): "give it with --param \(name)=VALUE"
        case .openTables: "'sealite sql' reads and writes tables"
        case .listDocumentCollections: "'sealite collection list' shows those there are; names are case-sensitive"
        case .rebuildIndex: "'sealite index rebuild' rebuilds it"
        case .fetchBlob: "run 'sealite export --all' on the database that has the blob, or fetch the blob by a sync"
        case .createTextIndex(let property, nil): Self.textIndex("\(property)")
        case .createTextIndex(let property, let collection?):
            Self.textIndex("\(property) --collection \(collection)")
        }
    }

    private static func textIndex(_ arguments: String) -> String {
        "MATCH takes the name of an index: 'sealite index create DATABASE NAME --full-text \(arguments)' makes one"
    }
}
