public import SealiteValues

/// The rules by which documents of a type are validated when they are saved (Documentation/Models.md §6).
public struct SchemaPolicy: Sendable, Hashable {
    /// The documents that are validated.
    public enum Level: String, Sendable, Hashable, CaseIterable {
        /// None.
        case off
        /// New documents, and those that fitted before the change.
        case moderate
        /// All.
        case strict
    }

    /// The consequence of a document that doesn't fit.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// It isn't saved.
        case error
        /// It is saved, and reported.
        case warn
    }

    /// The documents that are validated.
    public var level: Level
    /// The consequence of a document that doesn't fit.
    public var action: Action
    /// A Boolean value that says whether null fits a property that may be absent.
    public var nullTypeValidation: Bool

    /// A policy; by default the strictest.
    public init(level: Level = .strict, action: Action = .error, nullTypeValidation: Bool = false) {
        (self.level, self.action, self.nullTypeValidation) = (level, action, nullTypeValidation)
    }
}

extension SchemaPolicy {
    /// The policy that the member `sealite` of a stored schema has (Documentation/Models.md §3); what it doesn't say, or says in a way that isn't known, is as by default.
    public init(sealite members: MongoDocument) {
        self.init()
        if case .string(let text)? = members["level"], let known = Level(rawValue: text) { level = known }
        if case .string(let text)? = members["action"], let known = Action(rawValue: text) { action = known }
        if case .bool(let value)? = members["nullTypeValidation"] { nullTypeValidation = value }
    }

    /// The members of `sealite` that say the policy: those that aren't as by default.
    public var members: MongoDocument {
        var members: MongoDocument = [:]
        if level != .strict { members["level"] = .string(level.rawValue) }
        if action != .error { members["action"] = .string(action.rawValue) }
        if nullTypeValidation { members["nullTypeValidation"] = .bool(true) }
        return members
    }
}
