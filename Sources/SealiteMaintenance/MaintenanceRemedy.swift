internal import SealiteBase

/// The next steps after errors of copies, backups and freshness records.
package enum MaintenanceRemedy: Remedy, Hashable {
    /// Changing the keys of a sealed database, or copying it by a backup, after it was to be encrypted although it is
    /// sealed already.
    case copySealed
    /// Copying a backup of a sealed database into a plain one, after the database itself was written to during each
    /// attempt to copy it.
    case copyBackup
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
    /// Accepting a database of another program whose pages aren't authenticated.
    case acceptUnauthenticated
    /// Naming the settings with which another program encrypted a database, such as `kdf_iter`.
    case nameForeignSettings
    /// Carrying over the undamaged content of a database that another program encrypted.
    case skipForeignDamage
    /// Reading a plain database as one.
    case copyPlain
    /// Loading an SQLite extension that supplies the collations and functions which a schema needs and this program doesn't
    /// have.
    case loadExtension

    package var text: String {
        switch self {
        case .copySealed: "change the database's keys in its key slots, or copy it by a backup"
        case .copyBackup:
            "make a backup, for which no writer has to stop, and copy that; or stop the programs that write to it"
        case .verifySource: "verify the source; a salvage recovers the authentic data of a damaged file"
        case .nameFreshnessRecord: "name the file of a record, or move this one away to begin a new record"
        case .makeFreshnessRecord: "if there was no record before, make the first one; otherwise someone removed it"
        case .renewFreshnessRecord:
            "check the database against it with the build of Sealite that wrote it, then move it away and make a new record"
        case .acceptRollback:
            "find out who put the older file there; after a deliberate restore, a policy that accepts rollbacks"
                + " replaces the record"
        case .acceptUnauthenticated: "if you trust whoever could write the file, accept files without authentication"
        case .nameForeignSettings:
            "give the settings that the other program sets by pragmas, such as kdf_iter; a file whose page 1 is damaged can't"
                + " be opened with any key"
        case .skipForeignDamage: "restore a backup of it, or salvage what is left"
        case .copyPlain: "copy it as a plain database"
        case .loadExtension:
            "load an SQLite extension that supplies what is missing; its code then runs in this process"
        }
    }
}
