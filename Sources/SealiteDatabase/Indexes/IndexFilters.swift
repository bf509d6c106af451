internal import Synchronization

/// The partial filters of unique indexes: values are unique among the documents that satisfy the filter. The language
/// of filters belongs to the MongoDB-style API, a higher layer, which registers its compiler.
package enum IndexFilters {
    /// A function that returns whether a document, given by its id and its JSONB body, satisfies a filter.
    package typealias Test = @Sendable (_ id: String, _ body: [UInt8]) throws -> Bool

    private struct State {
        var compile: (@Sendable (_ filter: String) throws -> Test)?
        /// The most recently compiled tests, kept because compiling a filter takes longer than running its test.
        var known: [(filter: String, test: Test)] = []
    }

    private static let state = Mutex(State())
    private static let knownLimit = 32

    /// Registers the compiler, which makes a test from the text of a filter in Extended JSON.
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
