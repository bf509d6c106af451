import CSQLite
import SealiteJSON
import SealiteValues

extension QueryFunction {
    /// The SQL functions that compute the entries of the indexes of the MongoDB-style API.
    static let mongo: [QueryFunction] = [
        // The keys are strings of bytes, since arrays are passed as JSONB, which has no BLOBs.
        .init("mongo_entries", 4...many) { call in
            guard case .integer(let isSparse) = call[0], case .string(let id) = call[1] else { return call.giveNull() }
            var paths: [FilterPath] = []
            for index in 3..<call.count {
                guard case .string(let text) = call[index], let path = unsafe FilterPath(text.payload) else {
                    return call.giveNull()
                }
                paths.append(path)
            }
            let entries = call.withBody(2) { body in
                PathEntries(paths, isSparse: isSparse != 0, id: id.string, body: body)
            }
            var output = JSONBWriter(capacity: entries.keys.reduce(16) { $0 + $1.count + 4 })
            let list = output.begin(guess: entries.keys.reduce(0) { $0 + $1.count + 2 })
            for key in entries.keys { output.element(JSONBType.rawText, key.span, 0, key.count) }
            output.end(JSONBType.array, list)
            try call.give(output)
        }
    ]
}
