import SealiteBase
import SealiteTestSupport
import Synchronization
import Testing

@Suite("one broadcast")
struct BroadcastTests {
    @Test("all that listen get all that is told from then on, in order")
    func many() async {
        let broadcast = Broadcast<Int>()
        broadcast.tell(0)
        let sequences = (0..<50).map { _ in broadcast.sequence(limit: 100) }
        let heard = Mutex<[Int]>([])
        let remove = broadcast.add { number in heard.withLock { $0.append(number) } }
        #expect(broadcast.listenerCount == 51)
        for number in 1...20 { broadcast.tell(number) }
        remove()
        broadcast.tell(21)
        broadcast.end()
        for sequence in sequences {
            var all: [Int] = []
            for await number in sequence { all.append(number) }
            #expect(all == Array(1...21))
        }
        #expect(heard.withLock { $0 } == Array(1...20))
        #expect(broadcast.listenerCount == 0)
    }

    @Test("of what isn't read the newest elements are kept")
    func limit() async {
        let broadcast = Broadcast<Int>()
        let sequence = broadcast.sequence(limit: 3)
        for number in 0..<10 { broadcast.tell(number) }
        broadcast.end()
        var all: [Int] = []
        for await number in sequence { all.append(number) }
        #expect(all == [7, 8, 9])
    }

    @Test("a task that is cancelled listens no more, and the others go on")
    func cancelling() async {
        let broadcast = Broadcast<Int>()
        let (left, right) = (broadcast.sequence(limit: 10), broadcast.sequence(limit: 10))
        let task = Task {
            for await _ in left {}
        }
        task.cancel()
        await task.value
        await eventually { broadcast.listenerCount == 1 }
        broadcast.tell(1)
        var iterator = right.makeAsyncIterator()
        #expect(await iterator.next() == 1)
    }

    @Test("sequences end with the broadcast")
    func release() async {
        var broadcast: Broadcast<Int>? = Broadcast()
        let sequence = broadcast?.sequence(limit: 10)
        broadcast?.tell(1)
        broadcast = nil
        var all: [Int] = []
        if let sequence { for await number in sequence { all.append(number) } }
        #expect(all == [1])
    }
}
