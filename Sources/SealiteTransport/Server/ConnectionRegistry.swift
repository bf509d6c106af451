internal import NIOCore
internal import SealiteEndpoints
internal import Synchronization

/// The connections of a server, with limits on their number. Thread-safe.
///
/// Handshakes and accepted peers have separate limits, so that clients without a credential can't exclude those with
/// one. At the limit of handshakes a new connection replaces the oldest handshake of the address with the most
/// handshakes; a handshake whose request is complete is replaced last.
final class ConnectionRegistry: Sendable {
    /// The largest numbers of connections.
    struct Limits: Sendable {
        /// The largest number of accepted peers.
        var peers = 256
        /// The largest number of accepted peers from one IPv4 address, or one IPv6 network of 64 bits.
        var peersPerNetwork = 64
        /// The largest number of unfinished handshakes.
        var handshakes = 64
        /// The number of connections that one network may have beyond `peersPerNetwork`, so that a refused connection
        /// receives a response with the reason.
        static let spareHandshakes = 8
    }

    /// The reasons for which a peer is not accepted.
    enum Refusal: Sendable { case full, networkIsFull }

    fileprivate struct Entry {
        let channel: any Channel
        /// The peer's network (`PeerAddress.network`); nil for a proxy's connection until the request's
        /// `X-Forwarded-For` was read.
        var network: String?
        /// A number that increases with each connection.
        let number: UInt64
        var isPeer = false
        var hasAsked = false
        var handler: NIOLoopBound<WebSocketHandler>?
        var deadline: Scheduled<Void>?
    }
    fileprivate struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var lastNumber: UInt64 = 0
        var isStopping = false
    }
    private let state = Mutex(State())
    private let limits: Limits

    init(limits: Limits) { self.limits = limits }

    /// The number of upgraded connections.
    var connectionCount: Int { state.withLock { $0.entries.values.count { $0.handler != nil } } }

    // MARK: - Handshakes

    /// Registers a new connection until it closes. At a limit, first closes an unfinished handshake, if there is one,
    /// to make room.
    ///
    /// - Parameters:
    ///   - channel: the connection.
    ///   - network: the peer's network (`PeerAddress.network`); nil if only the request will name it.
    ///   - timeout: the time for the handshake.
    /// - Returns: false if the server is stopping.
    func admit(_ channel: any Channel, network: String?, timeout: TimeAmount) -> Bool {
        let deadline = channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
        let limits = limits
        let (isAdmitted, evicted) = state.withLock { state in
            guard !state.isStopping else { return (false, [Entry]()) }
            var evicted: [Entry] = []
            if let network, state.count(in: network) >= limits.peersPerNetwork + Limits.spareHandshakes {
                evicted += state.evict { $0.network == network }
            }
            if state.entries.values.count(where: { !$0.isPeer }) >= limits.handshakes {
                let crowded = state.crowdedNetwork
                evicted += state.evict { $0.network == crowded }
            }
            state.lastNumber += 1
            state.entries[ObjectIdentifier(channel)] = Entry(
                channel: channel, network: network, number: state.lastNumber, deadline: deadline)
            return (true, evicted)
        }
        for entry in evicted {
            entry.deadline?.cancel()
            entry.channel.close(promise: nil)
        }
        guard isAdmitted else {
            deadline.cancel()
            return false
        }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { $0.entries.removeValue(forKey: ObjectIdentifier(channel)) }?.deadline?.cancel()
        }
        return true
    }

    /// Records that a connection has sent its whole request, and the network of the peer that sent it.
    func asked(_ channel: any Channel, network: String) {
        state.withLock { state in
            state.entries[ObjectIdentifier(channel)]?.hasAsked = true
            state.entries[ObjectIdentifier(channel)]?.network = network
        }
    }

    // MARK: - Peers

    /// Turns a handshake whose request is accepted into a peer.
    ///
    /// - Returns: the limit that refuses it; nil if it is now a peer.
    func letIn(_ channel: any Channel) -> Refusal? {
        let limits = limits
        return state.withLock { state in
            let peers = state.entries.values.filter(\.isPeer)
            guard peers.count < limits.peers else { return .full }
            let network = state.entries[ObjectIdentifier(channel)]?.network
            guard network == nil || peers.count(where: { $0.network == network }) < limits.peersPerNetwork else {
                return .networkIsFull
            }
            state.entries[ObjectIdentifier(channel)]?.isPeer = true
            return nil
        }
    }

    /// Records the WebSocket handler of a connection that finished its handshake, and cancels the handshake's time
    /// limit. If the server is stopping, closes the connection with the code 4001.
    func upgraded(_ channel: any Channel, _ handler: NIOLoopBound<WebSocketHandler>) {
        let (deadline, isStopping) = state.withLock { state in
            state.entries[ObjectIdentifier(channel)]?.handler = handler
            return (state.entries[ObjectIdentifier(channel)]?.deadline, state.isStopping)
        }
        deadline?.cancel()
        if isStopping { channel.eventLoop.execute { handler.value.close(code: 4_001, reason: "going away") } }
    }

    /// Closes all connections, and returns when they are closed.
    ///
    /// Upgraded connections get the close code 4001, "try again later". Couchbase Lite treats 1001 (going away) as
    /// final: its continuous replicators would stop for good.
    func closeAll() async {
        let entries = state.withLock { state in
            state.isStopping = true
            return Array(state.entries.values)
        }
        for entry in entries {
            if let handler = entry.handler {
                entry.channel.eventLoop.execute { handler.value.close(code: 4_001, reason: "going away") }
            } else {
                entry.channel.close(promise: nil)
            }
        }
        for entry in entries { try? await entry.channel.closeFuture.get() }
    }
}

extension ConnectionRegistry.State {
    /// Returns the number of connections of one network, peers and handshakes.
    fileprivate func count(in network: String) -> Int { entries.values.count { $0.network == network } }

    /// The network with the most handshakes; nil if that is the group of handshakes whose network isn't known yet.
    fileprivate var crowdedNetwork: String? {
        let groups = Dictionary(grouping: entries.values.filter { !$0.isPeer }) { $0.network }
        return groups.max { $0.value.count < $1.value.count }?.key ?? nil
    }

    /// Removes and returns the oldest handshake among the candidates, or nothing if there is none. A handshake whose
    /// request is complete is removed only if there is no other candidate.
    fileprivate mutating func evict(where isCandidate: (ConnectionRegistry.Entry) -> Bool) -> [ConnectionRegistry.Entry]
    {
        let oldest = entries.filter { !$0.value.isPeer && isCandidate($0.value) }
            .min { ($0.value.hasAsked ? 1 : 0, $0.value.number) < ($1.value.hasAsked ? 1 : 0, $1.value.number) }
        guard let oldest else { return [] }
        entries[oldest.key] = nil
        return [oldest.value]
    }
}
