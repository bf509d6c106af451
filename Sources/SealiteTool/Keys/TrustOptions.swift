import ArgumentParser

/// What a command that changes keys, or records a file, takes for files that only a recovery slot of an earlier version opens.
struct TrustOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Go on although only a recovery slot of an earlier version opened the file.",
            discussion:
                "Only for a file that nobody can have exchanged: in a forged one the forger could use the new keys."))
    var trustFile = false
}
