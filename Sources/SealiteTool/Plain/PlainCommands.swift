import ArgumentParser

/// A command whose plain command lines are read without swift-argument-parser.
protocol PlainCommand: ParsableCommand {
    /// Reads and checks the words after the command's name.
    init(plain words: inout PlainArguments) throws
}

/// The commands that are read without swift-argument-parser.
enum PlainCommands {
    /// Returns the command of a plain command line; nil if the parser is to read it.
    static func command(_ arguments: [String]) -> (any PlainCommand)? {
        switch arguments.first {
        case "query": read(QueryCommand.self, arguments.dropFirst())
        case "sql": read(SQL.self, arguments.dropFirst())
        case "doc":
            switch arguments.dropFirst().first {
            case "get": read(Doc.Get.self, arguments.dropFirst(2))
            case "list": read(Doc.List.self, arguments.dropFirst(2))
            case "put": read(Doc.Put.self, arguments.dropFirst(2))
            default: nil
            }
        default: nil
        }
    }

    private static func read<Command: PlainCommand>(
        _ type: Command.Type, _ arguments: ArraySlice<String>
    ) -> (any PlainCommand)? {
        do {
            var words = try PlainArguments(arguments)
            return try Command(plain: &words)
        } catch {
            return nil
        }
    }
}

extension QueryCommand: PlainCommand {
    init(plain words: inout PlainArguments) throws {
        self.init()
        parameters = try words.values("--param", as: ParameterArgument.self)
        paramFile = try words.value("--param-file")
        csv = words.flag("--csv")
        explain = words.flag("--explain")
        measure = words.flag("--measure")
        rows = try words.value("--rows", as: Int.self)
        live = words.flag("--live")
        keyedBy = try words.value("--keyed-by")
        options = try DocumentOptions(plain: &words)
        let rest = try words.rest(1...2)
        place = DatabaseArgument(plain: rest[0])
        query = rest.count > 1 ? rest[1] : nil
        try validate()
        try options.validateLast()
    }
}

extension SQL: PlainCommand {
    init(plain words: inout PlainArguments) throws {
        self.init()
        parameters = try words.values("--param", as: ParameterArgument.self)
        csv = words.flag("--csv")
        readOnly = words.flag("--read-only")
        raw = words.flag("--raw")
        extensions = try ExtensionOptions(plain: &words)
        key = try KeyOptions(plain: &words)
        freshness = try FreshnessOptions(plain: &words)
        attaching = .none
        wait = try WaitOptions(plain: &words)
        output = try OutputOptions(plain: &words)
        let rest = try words.rest(1...2)
        place = DatabaseArgument(plain: rest[0])
        statement = rest.count > 1 ? rest[1] : nil
        try validate()
        try wait.validate()
        try output.validate()
    }
}

extension Doc.Get: PlainCommand {
    init(plain words: inout PlainArguments) throws {
        self.init()
        revision = try words.value("--revision")
        collection = try CollectionOptions(plain: &words)
        options = try DocumentOptions(plain: &words)
        let rest = try words.rest(2...Int.max)
        place = DatabaseArgument(plain: rest[0])
        ids = Array(rest.dropFirst())
        try validate()
        try options.validateLast()
    }
}

extension Doc.List: PlainCommand {
    init(plain words: inout PlainArguments) throws {
        self.init()
        prefix = try words.value("--prefix")
        limit = try words.value("--limit", as: Int.self)
        deleted = words.flag("--deleted")
        bySequence = words.flag("--by-sequence")
        collection = try CollectionOptions(plain: &words)
        options = try DocumentOptions(plain: &words)
        place = DatabaseArgument(plain: try words.rest(1...1)[0])
        try validate()
        try options.validateLast()
    }
}

extension Doc.Put: PlainCommand {
    init(plain words: inout PlainArguments) throws {
        self.init()
        new = words.flag("--new")
        ifRevision = try words.value("--if-revision")
        collection = try CollectionOptions(plain: &words)
        options = try DocumentOptions(plain: &words)
        let rest = try words.rest(1...3)
        place = DatabaseArgument(plain: rest[0])
        first = rest.count > 1 ? rest[1] : nil
        content = rest.count > 2 ? rest[2] : nil
        try validate()
        try options.validateLast()
    }
}
