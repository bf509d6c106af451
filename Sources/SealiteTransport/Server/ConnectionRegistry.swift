internal import SealiteCredentials
internal import NIOCore
internal import Synchronization

/// The connections of a server: counts them, limits them, and closes them. Thread-safe.
///
/// Handshakes and peers that were let in have places of their own, so that whoever shows no credential can't use up the places
/// of those who do. Where all places for handshakes are taken, a new connection takes the place of the oldest of the address
/// that has most; a handshake whose request is complete goes last.
final class ConnectionRegistry: Sendable {
    /// The number of connections that there may be.
    struct Limits: Sendable {
        /// Most peers that were let in.
        var peers = 256
        /// Most of them from one IPv4 address, or one IPv6 network of 64 bits.
        var peersPerNetwork = 64
        /// Most handshakes under way.
        var handshakes = 64
        /// The number of connections that one address may have beyond its peers, so that the next one can be told why it isn't
        /// let in.
        static let spareHandshakes = 8
    }

    /// The reason for which a peer isn't let in.
    enum Refusal: Sendable { case full, networkIsFull }

    fileprivate struct Entry {
        let channel: any Channel
        /// The peer's address, as far as it is known: behind a proxy only the peer's request tells.
        var network: String?
        /// Counts up, so that the oldest is found.
        let number: UInt64
        var isPeer = false
        var hasAsked = false
        var handler: NIOLoopBound<FrameHandler>?
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

    /// The number of connections that were upgraded.
    var connectionCount: Int { state.withLock { $0.entries.values.count { $0.handler != nil } } }

    // MARK: - Handshakes

    /// Takes a new connection in, and out again when it closes.
    ///
    /// - Parameters:
    ///   - channel: the connection.
    ///   - network: where the peer is (`PeerAddress.network`); nil if only its request will tell.
    ///   - timeout: time until it must be upgraded.
    /// - Returns: false if the server stops.
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

    /// Notes that a connection has sent its whole request, and where the peer is.
    func asked(_ channel: any Channel, network: String) {
        state.withLock { state in
            state.entries[ObjectIdentifier(channel)]?.hasAsked = true
            state.entries[ObjectIdentifier(channel)]?.network = network
        }
    }

    // MARK: - Peers

    /// Gives a connection whose request was accepted the place of a peer.
    ///
    /// - Returns: why there is none; nil if it has one.
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

    /// Notes that a connection finished its handshake.
    func upgraded(_ channel: any Channel, _ handler: NIOLoopBound<FrameHandler>) {
        let (deadline, isStopping) = state.withLock { state in
            state.entries[ObjectIdentifier(channel)]?.handler = handler
            return (state.entries[ObjectIdentifier(channel)]?.deadline, state.isStopping)
        }
        deadline?.cancel()
        if isStopping { channel.eventLoop.execute { handler.value.close(code: 4_001, reason: "going away") } }
    }

    /// Closes all connections, and returns when they are closed.
    ///
    /// Those that were upgraded get the close code 4001, "try again later". Couchbase Lite takes 1001 (going away) as final:
    /// its continuous replicators would stop for good.
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
    /// The number of connections of one network, peers and handshakes.
    fileprivate func count(in network: String) -> Int { entries.values.count { $0.network == network } }

    /// The network with the most handshakes; nil for those whose network isn't known yet.
    fileprivate var crowdedNetwork: String? {
        let groups = Dictionary(grouping: entries.values.filter { !$0.isPeer }) { $0.network }
        return groups.max { $0.value.count < $1.value.count }?.key ?? nil
    }

    /// Takes out the oldest handshake among some connections; one whose request is complete only if there is no other.
    fileprivate mutating func evict(where isCandidate: (ConnectionRegistry.Entry) -> Bool) -> [ConnectionRegistry.Entry]
    {
        let oldest = entries.filter { !$0.value.isPeer && isCandidate($0.value) }
            .min { ($0.value.hasAsked ? 1 : 0, $0.value.number) < ($1.value.hasAsked ? 1 : 0, $1.value.number) }
        guard let oldest else { return [] }
        entries[oldest.key] = nil
        return [oldest.value]
    }
}
