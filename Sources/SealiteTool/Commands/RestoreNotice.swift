import SealiteCredentials
import SealiteDatabase
import SealiteFile
import SealiteJSON
import SealiteMaintenance

/// An object that was bound to the replaced database, with the command that adapts it to the restored one.
struct RestoreNotice: Encodable {
    let what: String
    let reason: String
    let command: String
}
