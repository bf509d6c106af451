import ArgumentParser

/// The options for files that only a recovery slot of an earlier version opens, in commands that change keys or record
/// a file.
struct TrustOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Go on although only a recovery slot of an earlier version opened the file, which doesn't prove who made it.",
            discussion:
                "Use this only for a file that nobody can have replaced: whoever forged it could read what is written into it, and make further forgeries that open without a warning."
        ))
    var trustFile = false
}
