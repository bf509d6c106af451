import ArgumentParser

/// The options for files that only a recovery slot of an earlier version opens, in commands that change keys or record
/// a file.
struct TrustOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Go on although only a recovery slot of an earlier version opened the file.",
            discussion:
                "Use this only for a file that nobody can have replaced: in a forged file the forger could use the new keys."
        ))
    var trustFile = false
}
