#!/bin/sh
# Prints the commit of these sources, for `sealite --version`; with "-modified" after it if files that git knows were changed. Prints
# nothing where it can't be known. With --time, prints the commit's time in seconds, from which packages take the times of their files.
set -eu
cd "$(dirname "$0")/.."
# `git archive` writes both in here (.gitattributes), so that a source archive, which has no history, knows them.
commit='$Format:%H$' time='$Format:%ct$'
case $commit in
'$'*)
    # Not the commit of a repository inside which these sources lie.
    [ -e .git ] && commit=$(git rev-parse HEAD 2>/dev/null) || exit 0
    time=$(git show -s --format=%ct HEAD)
    git diff-index --quiet HEAD -- 2>/dev/null || commit=$commit-modified
    ;;
esac
case ${1:-} in
--time) echo "$time" ;;
*) echo "$commit" ;;
esac
