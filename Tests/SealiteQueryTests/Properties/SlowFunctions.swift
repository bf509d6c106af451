import SealiteQueryLanguage

/// The functions that `RandomQueries` calls, as Documentation/QueryFunctions.md says, for the slow evaluator.
enum SlowFunctions {
    static func value(_ name: String, _ arguments: [SlowValue]) -> SlowValue {
        switch name {
        case "NVL": return [.missing, .null].contains(arguments[0]) ? nullForMissing(arguments[1]) : arguments[0]
        case "DECODE":
            for index in stride(from: 1, to: arguments.count - 1, by: 2) where areSame(arguments[0], arguments[index]) {
                return arguments[index + 1]
            }
            return arguments.count % 2 == 0 ? arguments[arguments.count - 1] : .null
        case "OBJECT_PUT":
            if arguments[0] == .missing || arguments[1] == .missing { return .missing }
            guard case .object(var members) = arguments[0], case .string(let name) = arguments[1] else { return .null }
            members[name] = arguments[2] == .missing ? nil : arguments[2]
            return .object(members)
        default: break
        }
        if arguments.contains(.missing) { return .missing }
        switch name {
        case "ARRAY_CONTAINS", "ARRAY_POSITION":
            guard case .array(let items) = arguments[0], arguments[1] != .null else { return .null }
            let position = items.firstIndex { areSame($0, arguments[1]) }
            return name == "ARRAY_CONTAINS" ? .boolean(position != nil) : .integer(Int64(position ?? -1))
        case "OBJECT_REMOVE":
            guard case .object(var members) = arguments[0], case .string(let name) = arguments[1] else { return .null }
            members[name] = nil
            return .object(members)
        case "OBJECT_CONCAT":
            var all: [String: SlowValue] = [:]
            for argument in arguments {
                guard case .object(let members) = argument else { return .null }
                all.merge(members) { $1 }
            }
            return .object(all)
        default: return lists(name, arguments)
        }
    }

    private static func lists(_ name: String, _ arguments: [SlowValue]) -> SlowValue {
        var lists: [[SlowValue]] = []
        for argument in arguments {
            guard case .array(let items) = argument else { return .null }
            lists.append(items)
        }
        let all = lists.flatMap { $0 }
        switch name {
        case "ARRAY_CONCAT": return .array(all)
        case "ARRAY_REVERSE": return .array(all.reversed())
        case "ARRAY_UNION": return .array(distinct(all))
        default:
            return .array(distinct(all).filter { item in lists.allSatisfy { $0.contains { areSame($0, item) } } })
        }
    }

    /// An array of objects as an object of arrays.
    static func star(_ value: SlowValue) -> SlowValue {
        guard case .array(let items) = value else { return value == .missing ? .missing : .null }
        let objects = items.map { item -> [String: SlowValue] in
            if case .object(let members) = item { members } else { [:] }
        }
        let names = Set(objects.flatMap(\.keys))
        return .object(
            Dictionary(uniqueKeysWithValues: names.map { name in (name, .array(objects.map { $0[name] ?? .null })) }))
    }

    private static func nullForMissing(_ value: SlowValue) -> SlowValue { value == .missing ? .null : value }

    private static func areSame(_ left: SlowValue, _ right: SlowValue) -> Bool { left.order(right) == 0 }

    private static func distinct(_ items: [SlowValue]) -> [SlowValue] {
        items.reduce(into: []) { found, item in
            if !found.contains(where: { areSame($0, item) }) { found.append(item) }
        }
    }
}
