package import SealiteEndpoints
import Synchronization

package import SealiteTransport

/// Serves connections that send back what they get, and keeps what handshakes showed.
package final class EchoServer: Sendable {
    private let seen = Mutex<[ConnectionInfo]>([])
    private let holder = Mutex<WebSocketServer?>(nil)

    /// The connections so far.
    package var connections: [ConnectionInfo] { seen.withLock { $0 } }
    package var server: WebSocketServer? { holder.withLock { $0 } }

    package static func start(
        _ change: (inout WebSocketServerConfiguration) -> Void = { _ in }
    ) async throws -> EchoServer {
        let echo = EchoServer()
        var configuration = WebSocketServerConfiguration()
        configuration.handshakeTimeout = .seconds(60)
        configuration.firstByteTimeout = .seconds(60)
        change(&configuration)
        let server = try await WebSocketServer.start(configuration) { [echo] connection in
            echo.seen.withLock { $0.append(connection.info) }
            do {
                for try await frame in connection.messages { try await connection.send(frame) }
            } catch {
                // The peer went away, as tests make it.
            }
        }
        echo.holder.withLock { $0 = server }
        return echo
    }

    package func stop() async { await server?.stop() }

    /// A request to it.
    package func request(tls: Bool = false, host: String = "127.0.0.1") throws -> UpgradeRequest {
        try UpgradeRequest(to: EndpointURL("\(tls ? "wss" : "ws")://\(host):\(server?.port ?? 0)/db"))
    }
}

extension UpgradeRequest {
    /// Dials, and fails unless that fails.
    package func failure() async -> TransportError? {
        do throws(TransportError) {
            let connection = try await self.connection()
            await connection.close(code: 1_000, reason: "")
            return nil
        } catch {
            return error
        }
    }
}

extension MessageConnection {
    /// Returns the next messages, up to a number.
    package func receive(_ count: Int) async throws -> [[UInt8]] {
        var received: [[UInt8]] = []
        for try await frame in messages {
            received.append(frame)
            if received.count == count { break }
        }
        return received
    }

    /// Returns the error with which the connection ends; nil for an orderly end.
    package func end() async -> TransportError? {
        do throws(TransportError) {
            for try await _ in messages {}
            return nil
        } catch {
            return error
        }
    }
}
