/// The facts under which SQLite opened a database file.
struct FileOrigin {
    let path: String
    /// SQLite's own pointer to the file's name, by which its journal and WAL are found.
    let nameKey: UInt
    /// The name of the VFS below, for the sidecar of a rotation.
    let baseVFS: String
    /// The template of a header, if SQLite itself shall create the file.
    let template: CreationTemplate?
    /// The handle whose keys the name asks for, if it does.
    let handleNumber: Int?
}
