#!/usr/bin/env python3
"""Makes the documentation site from the modules of a build: scripts/make-docs.py BUILD SITE

BUILD is a folder that holds the built package (BUILD/release/Modules) and its checkouts, SITE the folder to make. Each product has a
catalogue, Sources/NAME/NAME.docc; DocC makes an archive of each with the module's public symbols, and one site of all. Any warning is
an error. The plugin of SwiftPM does the same with a build of its own, and every user of the package would have to fetch it.
"""

import pathlib
import re
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

# What DocC's pages show above their content: the way back to the site's own pages.
HEADER = ('<template id="custom-header"><style>nav.site{font:15px system-ui,sans-serif;padding:8px 16px;background:#f5f6f8}'
          ".site a{color:#0a5f8a;margin-right:16px;text-decoration:none}"
          "@media(prefers-color-scheme:dark){nav.site{background:#1e2327}.site a{color:#79c3ec}}</style>"
          '<nav class="site" aria-label="Site"><a href="/"><b>Sealite</b></a><a href="/#tutorials">Documents</a>'
          '<a href="/pages/search.html">Search</a><a href="/pages/figures.html">Figures</a></nav></template>')


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
                    "-emit-extension-block-symbols",
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
        # Its script asks for the file, and reports where there is none.
        (site / "theme-settings.json").write_text("{}\n")
        for page in site.glob("documentation/**/index.html"):
            page.write_text(re.sub("(<body[^>]*>)", rf"\1{HEADER}", page.read_text(encoding="utf-8"), count=1), encoding="utf-8")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"the site is {site}: {len(archives)} products, no warnings")


if __name__ == "__main__":
    main()
