import SealiteAuthentication
import SealiteBase
import SealiteCredentials
import SealiteDatabase
import SealiteFile
import SealiteMaintenance
import SealiteQuery

/// A remedy that the command line words as a command. Only this file converts the next steps of library errors to hints
/// with names of commands and options.
protocol CommandRemedy: Remedy {
    /// The next step, as a hint for users of the command line.
    var command: String { get }
}

extension RemedyWording {
    /// Returns the wording of the command line, by the switch of the remedy's library.
    static let commands: @Sendable (any Remedy) -> String = { remedy in
        guard let worded = remedy as? any CommandRemedy else {
            assertionFailure("the remedies of a library have no commands")
            return remedy.text
        }
        return worded.command
    }
}

extension LoginRemedy: CommandRemedy {
    var command: String {
        switch self {
        case .logIn: "log in with 'sealite login'"
        case .storePassword: "store the right password with 'sealite credential set'"
        }
    }
}

extension CredentialRemedy: CommandRemedy {
    var command: String {
        switch self {
        case .storeCredential: "store a credential with 'sealite credential set'"
        case .nameAccount: "name the account with --user"
        case .replaceMoved:
            "remove one of the two credentials with 'sealite credential remove', or give --replace, so that the move replaces"
                + " the one in the destination"
        case .replaceImported:
            "remove that credential with 'sealite credential remove', or give --replace, so that the import replaces it"
        case .chooseStore: "choose a credential store with 'sealite credential use', or remove the file"
        case .giveVaultKey:
            "give the vault's passphrase with --vault-passphrase-file or as the systemd credential sealite.vault, or its key"
                + " with --vault-key-file"
        case .useVault(let path):
            "the vault \"\(path)\" can be used instead: give its passphrase with --vault-passphrase-file, or its key with --vault-key-file"
        case .useNewVault: "--store vault chooses a vault"
        case .makeVault: "'sealite credential set --store vault' makes a vault with the first credential"
        case .listCollections: "'sealite credential status' lists the collections of the Secret Service"
        case .waitForStore:
            "on a slow machine, raise the limit with --store-timeout; otherwise the program that provides the Secret Service"
                + " waits for the answer to a prompt, or hangs: see 'sealite credential status'"
        }
    }
}

extension FileRemedy: CommandRemedy {
    var command: String {
        switch self {
        case .listSlots: "list the slots with 'sealite key list'"
        case .nameSlot: "name the key slot that the secret opens with --unlock-slot"
        case .useAsRecoveryKey:
            "the file holds a recovery key: name it with --recovery-key-file, or for a vault with --vault-recovery-key-file"
        case .useAsRawKey:
            "the file holds a raw key: name it with --key-file, or for a vault with --vault-key-file"
        case .useAsPassphrase:
            "if the file holds a passphrase, name it with --passphrase-file, or for a vault with --vault-passphrase-file;"
                + " 'sealite keygen' makes a key file"
        case .raiseKeyMemory:
            "raise --max-kdf-memory, or for a vault --vault-max-kdf-memory, only if you created this file"
        case .keepRecoverySlot:
            "keep the recovery slot with --keep-recovery and its fingerprint, or remove it with --drop-slot"
        case .decideSlots:
            "give the slot's secret with --also-passphrase-file or --also-key-file, or remove the slot with --drop-slot; keep a"
                + " recovery slot with --keep-recovery and its fingerprint"
        case .awaitRotation:
            "'sealite info' shows how far the rotation is; the next one can begin when this one has ended"
        case .useKeyOfRotation:
            "the key slots are already those of the rotation: use the key that it was given. 'sealite info' shows how far it"
                + " is, and 'sealite key rotate --finish' with that key completes it"
        case .resumeRotation: "the next 'sealite key rotate' continues it"
        case .unlockBeforeOpening:
            "name the key in an option such as --key-file, or --attach-key-file for an attached database, and change keys with"
                + " 'sealite key'"
        case .exportByOldBuild:
            "with the build of 'sealite' that wrote the file, take its documents out by 'sealite export --all', or its tables by"
                + " 'sealite decrypt'; then use 'sealite import' or 'sealite encrypt' of this one"
        case .restoreLostHeader:
            "if it was a sealed database, restore a saved header with 'sealite header restore', or a backup with"
                + " 'sealite restore --replace'; make a new database with 'sealite create' under another name"
        case .restoreHeader:
            "restore a saved header with 'sealite header restore', or a backup with 'sealite restore --replace'"
        case .restoreOrAcceptHeader:
            "restore a saved header with 'sealite header restore', or choose the header copy to keep with 'sealite header accept'"
        case .sealPlain: "encrypt it with 'sealite encrypt', or open it unencrypted with sqlite3 or a URI with vfs=unix"
        case .copyByBackup: "copy the database into a new file with 'sealite backup'"
        case .createSealed: "make sealed databases with 'sealite create' or 'sealite encrypt'"
        case .createAndUnlock: "make the database with 'sealite create', then unlock it"
        case .nameTemplate(let parameter):
            "name an unlocked database by its database id, which 'sealite info' shows: 'file:PATH?\(parameter)=ID'"
        case .changePageSize:
            "write a copy with another page size: a plain copy with 'sealite decrypt', and from that a sealed one with"
                + " 'sealite encrypt --page-size'"
        case .waitForLock: "another connection holds a lock: try again, or raise --timeout"
        case .listDamagedPages:
            "copy the file first; 'sealite verify' lists every damaged page, 'sealite restore' restores a backup, and"
                + " 'sealite salvage' recovers the data of undamaged pages"
        case .verifyLog: "run 'sealite verify' to see what the write-ahead log still holds"
        case .keepJournal: "nothing was rolled back; keep the journal beside the database and run 'sealite verify'"
        case .attachMissing:
            "make a sealed database with 'sealite create'; a plain one that exists is named by 'file:PATH?vfs=unix'"
        case .attachLocked:
            "the option --attach NAME=FILE of 'sealite sql', and its command .attach NAME FILE, unlock the database and attach it"
        case .attachPlain:
            "name the plain database by 'file:PATH?vfs=unix', or make a sealed copy with 'sealite encrypt'"
        case .nameParameter: "use a name such as $a instead, and give its value with --param a=VALUE"
        case .giveParameter(let name): "give it with --param \(name)=VALUE"
        }
    }
}

extension MaintenanceRemedy: CommandRemedy {
    var command: String {
        switch self {
        case .copySealed: "change the database's keys with 'sealite key', or copy it with 'sealite backup'"
        case .copyBackup:
            "make a backup with 'sealite backup', for which no writer has to stop, and decrypt the backup; or stop the programs"
                + " that write to the database"
        case .verifySource:
            "run 'sealite verify' on the source; 'sealite salvage' recovers the authentic data of a damaged file"
        case .nameFreshnessRecord:
            "name a file that 'sealite freshness record' wrote, or move this one away and make a new record with that command"
        case .makeFreshnessRecord:
            "make the first one with 'sealite freshness record'; if there was one, someone removed it"
        case .renewFreshnessRecord:
            "check the database with the build of 'sealite' that wrote the record, then move the record away and make a new one"
                + " with 'sealite freshness record'"
        case .acceptRollback:
            "find out who replaced the file; after a deliberate restore, --accept-rollback updates the freshness record"
        case .acceptUnauthenticated:
            "if you trust whoever could write the file, give --accept-unauthenticated"
        case .nameForeignSettings:
            "give the settings that the other program sets by pragmas, such as --old-setting kdf_iter=64000; a file whose page 1"
                + " is damaged can't be opened with any key"
        case .skipForeignDamage: "restore a backup of it, or carry over what is left with --skip-damaged"
        case .copyPlain: "leave out --from and the options that begin with --old"
        case .loadExtension:
            "name an SQLite extension that supplies what is missing with --load-extension FILE; its code then runs in this process"
        }
    }
}

extension DatabaseRemedy: CommandRemedy {
    var command: String {
        switch self {
        case .openTables: "'sealite sql' reads and writes tables"
        case .rebuildIndex: "'sealite index rebuild' rebuilds it"
        case .fetchBlob:
            "get the blob from a database that has it: by 'sealite export --all' there and 'sealite import' here, or by a sync"
        }
    }
}

extension QueryRemedy: CommandRemedy {
    var command: String {
        switch self {
        case .listDocumentCollections: "'sealite collection list' lists the collections; their names are case-sensitive"
        case .createTextIndex(let property, nil): Self.textIndex("\(property)")
        case .createTextIndex(let property, let collection?):
            Self.textIndex("\(property) --collection \(collection)")
        case .createVectorIndex(let expression, let collection):
            "make one with 'sealite index create DATABASE NAME --vector \(expression.shellArgument) --dimensions N"
                + "\(collection.map { " --collection \($0)" } ?? "")', or compare exactly with VECTOR_DISTANCE()"
        }
    }

    private static func textIndex(_ arguments: String) -> String {
        "MATCH takes the name of a full-text index: 'sealite index create DATABASE NAME --full-text \(arguments)' makes one"
    }
}
