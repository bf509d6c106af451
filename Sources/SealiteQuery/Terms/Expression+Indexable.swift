internal import SealiteQueryLanguage

extension Tree.Expression {
    /// The functions whose result for the same document can depend on the device's time zone, so that an index can't
    /// contain it.
    private static let changing: Set<String> = [
        "MILLIS_TO_STR", "STR_TO_MILLIS", "STR_TO_UTC", "STR_TO_TZ", "DATE_ADD_STR", "DATE_FORMAT_STR",
        "DATE_RANGE_STR",
    ]
    /// The functions of the present time.
    private static let timely: Set<String> = ["NOW_STR", "NOW_MILLIS"]
    /// The functions that have a time limit, which long texts may exceed, so that an index can't contain their results.
    private static let timed: Set<String> = ["REGEXP_CONTAINS", "REGEXP_LIKE", "REGEXP_POSITION", "REGEXP_REPLACE"]

    /// Throws an error unless an index can contain the expression: its value may depend only on a document's ID and
    /// properties or, in an index over elements, only on an element, and neither on the time, the time zone nor a time
    /// limit.
    func checkIndexable(_ kind: QuerySource.Kind) throws {
        let isWhole = try rewritten { part in
            switch part {
            case .call(let call) where Self.changing.contains(call.name):
                throw QueryFailure(
                    "\(call.name)() depends on the time zone of the device, so no index can have it", at: call.position)
            case .call(let call) where Self.timely.contains(call.name):
                throw QueryFailure(
                    "\(call.name)() is the present time, so no index can have it", at: call.position)
            case .call(let call) where Self.timed.contains(call.name):
                throw QueryFailure(
                    "\(call.name)() may fail on a long text, so it can't be used in an index", at: call.position)
            case .property(.meta(_, let position), _) where kind.isElements:
                throw QueryFailure("an index over the elements of an array can't contain META()", at: position)
            case .path where kind.isElements: return part
            case .property(.meta(_, let position), _):
                guard case .property(_, let steps) = part, case .name(let name)? = steps.first, MetaKey(name) == .id
                else {
                    throw Self.otherMember(at: position)
                }
                return part
            case .path(let path):
                if path.steps.isEmpty, let key = MetaKey.columnName(path.root), key != MetaKey.id.rawValue {
                    throw Self.otherMember(at: path.position)
                }
                return part
            case .meta(_, let position): throw Self.otherMember(at: position)
            default: return nil
            }
        }
        guard isWhole != nil else {
            throw QueryFailure("an index can't contain subqueries, aggregates, window functions, MATCH or RANK")
        }
    }

    /// A Boolean value that says whether an index over documents can contain the expression.
    var isIndexable: Bool { (try? checkIndexable(.documents(0))) != nil }

    /// Returns the error for META(), or for a member of it that an index can't contain.
    private static func otherMember(at position: Tree.Position) -> QueryFailure {
        QueryFailure("META().id is the only metadata of a document that an index can contain", at: position)
    }
}
