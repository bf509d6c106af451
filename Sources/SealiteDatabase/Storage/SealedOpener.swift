internal import GRDB
internal import SealiteFile
internal import SealiteGRDB

/// Opens connections to an unlocked sealed file.
struct SealedOpener: StorageOpener {
    let handle: SealedDatabase

    var path: String { handle.path }

    func openPool(_ configuration: GRDB.Configuration) throws -> DatabasePool {
        try handle.makePool(configuration: configuration)
    }

    func openReader(_ configuration: GRDB.Configuration) throws -> DatabaseQueue {
        var configuration = configuration
        configuration.readonly = true
        return try handle.makeQueue(configuration: configuration)
    }

    func removeEmptyLog() { handle.removeEmptyLog() }
}
