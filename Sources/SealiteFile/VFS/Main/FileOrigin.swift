/// The parameters with which SQLite opened a database file through the encrypting VFS.
struct FileOrigin {
    let path: String
    /// The address of the file's name in SQLite's memory, by which its journal and WAL are found.
    let nameKey: UInt
    /// The name of the underlying VFS, through which a rotation's sidecar is opened.
    let baseVFS: String
    /// The keys for the header if SQLite itself creates the file; nil otherwise.
    let template: CreationTemplate?
    /// The number of the handle whose keys the URI requests; nil if it requests none.
    let handleNumber: Int?
}
