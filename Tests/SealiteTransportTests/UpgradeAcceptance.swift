@testable import SealiteTransport

/// The proper answer to an upgrade.
func acceptance(of request: String, more: String = "") -> String {
    let key = request.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst(19) ?? ""
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-Websocket-Accept: "
        + UpgradeKey.acceptance(of: String(key))
        + "\r\nSec-Websocket-Protocol: BLIP_3+CBMobile_3\r\n\(more)\r\n"
}
