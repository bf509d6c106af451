import Glibc

/// A WAL or journal of a main file.
protocol SidecarFile: AnyObject {
    var main: VFSFile? { get }
}
