import CEditLine
import Glibc

/// The areas of glibc's heap, of which threads that allocate at the same time use different ones.
enum HeapAreas {
    /// Limits their number to that of the processors, at least two. By default there are eight times as many, and each keeps
    /// what the peers at one time have made it grow.
    static func limit() {
        _ = sealite_limit_heap_areas(CInt(clamping: max(2, sysconf(CInt(_SC_NPROCESSORS_ONLN)))))
    }
}
