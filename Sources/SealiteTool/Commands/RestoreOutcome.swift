import SealiteCredentials
import SealiteDatabase
import SealiteFile
import SealiteMaintenance

/// The report of `sealite restore`: the restore itself, and the objects, such as header backups, that don't belong to
/// the restored database.
struct RestoreOutcome: Encodable {
    let restored: RestoreReport
    let kind: DatabaseKind?
    /// The database's service id, under which the passwords and the certificate of `sealite serve` are stored; a
    /// restore doesn't change it. Nil if the file isn't a document database or its content couldn't be read.
    let serveID: String?
    let database: String

    private enum CodingKeys: String, CodingKey { case kind, serveID, unbound }

    func encode(to encoder: any Encoder) throws {
        try restored.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .kind)
        try container.encode(serveID, forKey: .serveID)
        try container.encode(notices, forKey: .unbound)
    }

    /// The notices about objects that don't belong to the restored database. Those about header backups and freshness
    /// records, whose locations are unknown, are given whenever a database was replaced.
    var notices: [RestoreNotice] {
        let place = database.shellArgument
        var notices =
            restored.keptPaths.isEmpty
            ? []
            : [
                RestoreNotice(
                    what: "header-backups",
                    reason: "header backups of the replaced database don't match the restored database",
                    command: "sealite header backup \(place) FILE"),
                RestoreNotice(
                    what: "freshness-records",
                    reason: "freshness records of the replaced database don't apply to the restored database",
                    command: "sealite freshness record \(place) FILE --accept-rollback"),
            ]
        if !restored.returnedSlots.isEmpty {
            notices.append(
                RestoreNotice(
                    what: "returned-slots",
                    reason: "the restored database has key slots that the replaced one didn't have: "
                        + restored.returnedSlots.map(\.line).joined(separator: "; "),
                    command: "sealite key remove \(place) --slot N, then sealite key rotate \(place)"))
        }
        if !restored.missingSlots.isEmpty {
            notices.append(
                RestoreNotice(
                    what: "missing-slots",
                    reason:
                        "the replaced database had key slots that the backup doesn't have; add them again, or their secrets don't unlock the restored database: "
                        + restored.missingSlots.map(\.line).joined(separator: "; "),
                    command: "sealite key add \(place)"))
        }
        return notices
    }
}
