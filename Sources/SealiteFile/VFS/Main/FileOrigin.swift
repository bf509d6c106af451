/// The parameters with which SQLite opened a database file.
struct FileOrigin {
    let path: String
    /// The address of the file's name in SQLite's memory, by which its journal and WAL are found.
    let nameKey: UInt
    /// The name of the underlying VFS, for the sidecar of a rotation.
    let baseVFS: String
    /// The keys for the header if SQLite itself creates the file; nil otherwise.
    let template: CreationTemplate?
    /// The number of the handle whose keys the URI requests; nil if it requests none.
    let handleNumber: Int?
}
