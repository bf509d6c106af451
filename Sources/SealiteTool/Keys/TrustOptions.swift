import ArgumentParser

/// The options for files that only a recovery slot of an earlier version opens, in commands that change keys or record
/// a file.
struct TrustOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Go on although only a recovery slot of an earlier version opened the file.",
            discussion:
                "Only for a file that nobody can have exchanged: in a forged one the forger could use the new keys."))
    var trustFile = false
}
