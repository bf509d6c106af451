import Glibc

/// A WAL or rollback journal of a database file that is open through the encrypting VFS.
protocol SidecarFile: AnyObject {
    var main: VFSFile? { get }
}
