#!/bin/sh
# Makes a folder from which the tool is linked so that it starts quickly, and prints the variables under which `swift build` uses it.
#
# link-folder.sh SWIFT FOLDER
#
# The dynamic linker's work for a library, even for one that isn't called, is a good part of the start of a command. libsecret and libedit are
# loaded at the first call (Sources/CSecret/shim.h, Sources/CEditLine/shim.h), and so their pkg-config files in the folder, which SwiftPM finds
# first, name the headers only. Of libstdc++, which the Swift runtime and BoringSSL need, the few functions that they use are linked in, if
# the compiler has the archive. Nothing here changes how anything is compiled.
set -eu
swift=$(command -v "$1") || exit 0
mkdir -p "$2/pkgconfig"
folder=$(cd "$2" && pwd)
for library in libsecret-1 libedit; do
    # Without the headers, the build itself says what to install.
    flags=$(pkg-config --cflags-only-I "$library" 2>/dev/null) || continue
    printf 'Name: %s\nDescription: headers of %s\nVersion: %s\nCflags: %s\n' \
        "$library" "$library" "$(pkg-config --modversion "$library")" "$flags" >"$folder/pkgconfig/$library.pc.new"
    mv "$folder/pkgconfig/$library.pc.new" "$folder/pkgconfig/$library.pc"
done
archive=$("$(dirname "$(readlink -f "$swift")")/clang" -print-file-name=libstdc++.a 2>/dev/null) || archive=
case $archive in
    /*) ln -sf "$archive" "$folder/libstdc++.a" ;;
    *) rm -f "$folder/libstdc++.a" ;;
esac
# The commit, in an object whose name has it too: with another one the tool is linked again, and nothing is compiled.
commit=$(scripts/commit.sh) object=
if [ -n "$commit" ]; then
    object=$folder/commit-$commit.o
    if [ ! -e "$object" ]; then
        rm -f "$folder"/commit-*.o
        echo "const char sealite_build_commit_text[] = \"$commit\";" |
            "$(dirname "$(readlink -f "$swift")")/clang" -c -x c - -o "$object.new" 2>/dev/null && mv "$object.new" "$object" || object=
    fi
fi
echo "PKG_CONFIG_PATH=$folder/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH} SEALITE_LINK_FOLDER=$folder${object:+ SEALITE_COMMIT_OBJECT=$object}"
