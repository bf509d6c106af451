import SealiteCrypto

/// The uses of page keys. A separate key is derived for each. `Documentation/FORMAT.md` §3.
package enum KeyUse: UInt32 {
    case main = 1
    case wal = 2
    case journal = 3
    case sidecar = 4

    var label: String {
        switch self {
        case .main: "Sealite 1 main"
        case .wal: "Sealite 1 WAL"
        case .journal: "Sealite 1 journal"
        case .sidecar: "Sealite 1 sidecar"
        }
    }
}
