import Testing

@testable import SealiteDatabase

@Suite("what documents were before they changed")
struct EarlierStatesTests {
    private func state(
        _ old: Int64?, _ new: Int64, body: [UInt8]? = [1], isReplacement: Bool = false
    ) -> EarlierState {
        EarlierState(
            id: "a", oldSequence: old, body: old == nil ? nil : body, newSequence: new, isReplacement: isReplacement)
    }

    @Test("the first state since the last delivery is the one that counts")
    func first() {
        var states = EarlierStates()
        states.begin(at: 5)
        states.append([state(5, 6, body: [5]), state(6, 7, body: [6], isReplacement: true)])
        let taken = states.take("a", through: 7, row: 7)
        #expect(taken.state?.body == [5] && taken.isReplaced)
        #expect(states.take("a", through: 7, row: 7).state == nil)
    }

    @Test("a state that the follower was never told of is unknown")
    func unknown() {
        var states = EarlierStates()
        states.begin(at: 5)
        // Another process has made change 6.
        states.append([state(6, 7)])
        #expect(states.take("a", through: 7, row: 7).state == nil)
        states.advance(to: 7)
        states.append([state(7, 8, body: [7])])
        #expect(states.take("a", through: 8, row: 8).state?.body == [7])
    }

    @Test("a change that comes while another one is delivered begins at what is delivered")
    func overlap() {
        var states = EarlierStates()
        states.begin(at: 5)
        states.append([state(5, 6, body: [5])])
        states.append([state(6, 7, body: [6])])
        #expect(states.take("a", through: 6, row: 6).state?.body == [5])
        states.advance(to: 6)
        #expect(states.take("a", through: 7, row: 7).state?.body == [6])
        // What is delivered is another process' change: the next one doesn't begin there.
        states.append([state(8, 9)])
        #expect(states.take("a", through: 7, row: 7).state == nil)
        #expect(states.take("a", through: 9, row: 9).state == nil)
    }

    @Test("what is taken back or was before the beginning is forgotten, and a new document is known to be new")
    func forgotten() {
        var states = EarlierStates()
        states.append([state(3, 4), state(4, 6, body: [4])])
        states.begin(at: 4)
        #expect(states.take("a", through: 6, row: 6).state?.body == [4])
        states.append([state(6, 7)])
        states.retract(after: 6)
        #expect(states.take("a", through: 9, row: 7).state == nil)
        states.append([state(nil, 10)])
        let inserted = states.take("a", through: 10, row: 10).state
        #expect(inserted != nil && inserted?.body == nil)
    }

    @Test("beyond the limit of memory states are unknown, not wrong")
    func limit() {
        var states = EarlierStates()
        states.begin(at: 5)
        states.append([state(5, 6, body: [UInt8](repeating: 0, count: EarlierState.byteLimit))])
        states.append([state(6, 7, body: [6])])
        #expect(states.take("a", through: 7, row: 7).state == nil)
    }

    @Test("beyond the limit of memory a document without an earlier row isn't taken for a new one")
    func limitBeforeInsertion() {
        var states = EarlierStates()
        states.begin(at: 5)
        // The document is purged, of which there is no memory, and made anew.
        states.append([state(5, 6, body: [UInt8](repeating: 0, count: EarlierState.byteLimit + 1))])
        states.append([state(nil, 7)])
        #expect(states.take("a", through: 7, row: 7).state == nil)
        states.advance(to: 7)
        states.append([state(nil, 8)])
        #expect(states.take("a", through: 8, row: 8).state != nil)
    }

    @Test("a document that was inserted and deleted between two deliveries isn't a change")
    func insertedAndDeleted() {
        func isChange(_ before: DocumentTransition.Before) -> Bool {
            DocumentTransition(id: "a", before: before, after: nil, isReplaced: false).isChange
        }
        #expect(!isChange(.missing) && isChange(.stored([1])) && isChange(.unknown))
    }
}
