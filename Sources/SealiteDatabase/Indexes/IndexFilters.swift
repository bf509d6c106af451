internal import Synchronization

/// The filters of indexes. Their language belongs to the MongoDB-style API, a higher layer, which registers its
/// compiler.
package enum IndexFilters {
    /// A test of a document, by its id and its body.
    package typealias Test = @Sendable (_ id: String, _ body: [UInt8]) throws -> Bool

    private struct State {
        var compile: (@Sendable (_ filter: String) throws -> Test)?
        /// The most recently used tests, kept because compiling a filter takes longer than running its test.
        var known: [(filter: String, test: Test)] = []
    }

    private static let state = Mutex(State())
    private static let knownLimit = 32

    /// Registers the compiler of filters, whose text is Extended JSON.
    package static func setCompiler(_ compile: @escaping @Sendable (_ filter: String) throws -> Test) {
        state.withLock { $0.compile = compile }
    }

    /// Returns the test of a filter; nil if no compiler is registered.
    static func test(for filter: String) throws -> Test? {
        let (known, compile) = state.withLock { state in
            (state.known.first { $0.filter == filter }?.test, state.compile)
        }
        if let known { return known }
        guard let test = try compile?(filter) else { return nil }
        state.withLock { state in
            if state.known.count >= knownLimit { state.known.removeFirst() }
            state.known.append((filter, test))
        }
        return test
    }
}
