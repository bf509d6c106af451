#!/usr/bin/env python3
"""Makes the documentation site from the modules of a build: scripts/make-docs.py BUILD SITE

BUILD is a folder that holds the built package (BUILD/release/Modules) and its checkouts, SITE the folder to make. Each product has a
catalogue, Sources/NAME/NAME.docc; DocC makes an archive of each with the module's public symbols, and one site of all. Any warning is
an error. The plugin of SwiftPM does the same with a build of its own, and every user of the package would have to fetch it.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# In the order in which each can link to those before it.
PRODUCTS = [
    "SealiteCrypto", "SealiteFile", "SealiteMaintenance", "SealiteGRDB", "SealiteValues", "SealiteDatabase", "SealiteCredentials",
    "SealiteQuery", "SealiteAuthentication", "SealiteMongo", "SealiteModel", "SealiteReplicator", "SealiteMobileSync", "Sealite",
]

# These are no products; what they make public is on the pages of the product that exports them.
EXPORTED = {"SealiteCrypto": "SealiteBase", "SealiteCredentials": "SealiteEndpoints"}


def run(*command):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{command[0]} failed:\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def module_flags(build):
    """The flags by which the compiler finds the C modules that the Swift modules were built with."""
    maps = sorted(ROOT.glob("Sources/C*/module.modulemap"))
    maps += sorted(ROOT.glob("Sources/C*/include/module.modulemap"))
    maps += sorted(path for path in build.glob("checkouts/*/Sources/*/**/module.modulemap") if "Tests" not in path.parts)
    maps += sorted(build.glob("release/*.build/module.modulemap"))
    flags = []
    for path in maps:
        flags += ["-Xcc", f"-fmodule-map-file={path}"]
    for include in sorted(build.glob("checkouts/*/Sources/*/include")):
        flags += ["-Xcc", f"-I{include}"]
    for word in run("pkg-config", "--cflags-only-I", "libcrypto", "libsecret-1", "sqlite3").split():
        flags += ["-Xcc", word]
    return flags


def main():
    build, site = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    modules = build / "release" / "Modules"
    target = run("swiftc", "-print-target-info").split('"triple": "')[1].split('"')[0]
    work = pathlib.Path(tempfile.mkdtemp(prefix="sealite-docs-"))
    archives, warnings = [], []
    try:
        flags = module_flags(build)
        for name in PRODUCTS:
            graphs = work / "graphs" / name
            graphs.mkdir(parents=True)
            # The umbrella has no symbols of its own.
            if name != "Sealite":
                run("swift", "symbolgraph-extract", "-module-name", name, "-I", modules, "-target", target, "-output-dir", graphs,
                    "-minimum-access-level", "public", "-skip-synthesized-members", "-skip-inherited-docs",
                    *([f"-experimental-allowed-reexported-modules={EXPORTED[name]}"] if name in EXPORTED else []), *flags)
                # Extensions of other modules' types are pages of the module that extends them; those of the standard library aren't wanted.
                for path in graphs.glob("*@*.json"):
                    if not path.name.split("@")[1].startswith("Sealite"):
                        path.unlink()
            archive = work / f"{name}.doccarchive"
            command = ["docc", "convert", ROOT / "Sources" / name / f"{name}.docc", "--additional-symbol-graph-dir", graphs,
                       "--output-path", archive, "--fallback-display-name", name, "--fallback-bundle-identifier", name,
                       "--enable-experimental-external-link-support"]
            for other in archives:
                command += ["--dependency", other]
            output = run(*command)
            warnings += [line for line in output.splitlines() if line.startswith(("warning:", "error:")) or " --> " in line]
            archives.append(archive)
        if warnings:
            sys.exit("\n".join(warnings))
        shutil.rmtree(site, ignore_errors=True)
        site.parent.mkdir(parents=True, exist_ok=True)
        run("docc", "merge", *archives, "--output-path", site, "--synthesized-landing-page-name", "Sealite")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"the site is {site}: {len(archives)} products, no warnings")


if __name__ == "__main__":
    main()
