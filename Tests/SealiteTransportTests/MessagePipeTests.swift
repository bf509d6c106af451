import SealiteEndpoints
import SealiteTransportTestSupport
import Testing

@testable import SealiteTransport

@Suite("frame pipe")
struct MessagePipeTests {
    @Test("messages arrive in order, both ways")
    func order() async throws {
        let (left, right) = MessagePipe.pair()
        try await left.send([[1], [2, 2], []])
        try await right.send([9])
        #expect(try await right.receive(3) == [[1], [2, 2], []])
        #expect(try await left.receive(1) == [[9]])
    }

    @Test("a sender waits while its messages lie unread")
    func backPressure() async throws {
        let (left, right) = MessagePipe.pair(bufferedByteCount: 1_000)
        let sending = Task {
            for number in 0..<1_000 { try await left.send([UInt8](repeating: UInt8(number & 255), count: 100)) }
            await left.close(code: 1_000, reason: "")
        }
        var count = 0
        for try await frame in right.messages {
            #expect(frame.first == UInt8(count & 255))
            count += 1
        }
        try await sending.value
        #expect(count == 1_000)
    }

    @Test("a close is an end, with another code an error, a cut too, and what was sent before arrives")
    func ends() async throws {
        for (end, expected) in [(1_000, nil), (4_001, .closedByPeer(4_001)), (0, .lost)]
            as [(Int, TransportError.Code?)]
        {
            let (left, right) = MessagePipe.pair()
            try await left.send([7])
            if end == 0 { left.cut() } else { await left.close(code: UInt16(end), reason: "over") }
            #expect(try await right.receive(1) == [[7]])
            #expect(await right.end()?.code == expected)
            await #expect(throws: TransportError(.closed, "")) { try await right.send([1]) }
            await #expect(throws: TransportError(.closed, "")) { try await left.send([1]) }
        }
    }

    @Test("who waits to send is let go when the other end closes")
    func closedWhileSending() async throws {
        let (left, right) = MessagePipe.pair(bufferedByteCount: 100)
        let sending = Task { while true { try await left.send([UInt8](repeating: 0, count: 100)) } }
        _ = try await right.receive(1)
        await right.close(code: 1_000, reason: "")
        await #expect(throws: TransportError(.closed, "")) { try await sending.value }
    }

    @Test("a cancelled reader is let go")
    func cancelled() async {
        let (left, right) = MessagePipe.pair()
        let reading = Task { await right.end() }
        reading.cancel()
        #expect(await reading.value?.code == .cancelled)
        await left.close(code: 1_000, reason: "")
    }
}
