internal import Logging
internal import SealiteCredentials

extension ReplicatorError.Code {
    /// The code as a log has it. The domain of a remote's error is its own word, so it is left out.
    var inLog: Logger.MetadataValue {
        switch self {
        case .connection(let code): "\(code)"
        case .http(let status): "http(\(status))"
        case .remote(_, let code): "remote(\(code))"
        default: "\(self)"
        }
    }

    /// The code of a failed connection.
    init(_ code: TransportError.Code) {
        if case .http(let status) = code { self = .http(status) } else { self = .connection(code) }
    }
}
