import SealiteCredentials
import SealiteDatabase
import SealiteFile
import SealiteJSON
import SealiteMaintenance

/// An object, such as a header backup, a freshness record or a key slot, that belongs to only one of the replaced and
/// the restored database, with the command that adapts it to the restored database.
struct RestoreNotice: Encodable {
    let what: String
    let reason: String
    let command: String
}
