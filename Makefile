# Sealite's tasks. `make help` lists them.

SWIFT ?= swift
# The Swift runtime is linked in: the tool and the extension need no Swift toolchain on the machine that runs them.
# One set of flags for everything that is built for release, so that nothing is compiled twice: what the demo shows is what is
# installed. There is no debug information, which `make install` would strip. A module's interface comes out of its compilation: by
# default the driver makes it in a process of its own, and so parses and checks each source twice. The linker leaves out functions that
# nothing calls or that are equal and names that only a loaded library would look for, and packs relocations, which glibc understands
# from 2.36 on (Documentation/Decisions.md). Types are reached by their functions, not by names that the runtime reads when a type is first
# used: for each type it would search all conformances of the program, ten thousand, for those that the type requires.
RELEASE = $(RESOLVED) -c release -debug-info-format none -Xswiftc -static-stdlib --disable-local-rpath -Xswiftc -no-emit-module-separately-wmo \
    -Xswiftc -Xfrontend -Xswiftc -function-sections -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker --icf=safe \
    -Xlinker -z -Xlinker pack-relative-relocs $(ICU) \
    -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors $(OPTIMIZATION)
# A source archive of a release has the versions of the Swift packages with it (scripts/release.py), and is built with no others.
RESOLVED = $(if $(wildcard .git),,$(if $(wildcard Package.resolved),--force-resolved-versions))
# Of ICU, which Foundation brings, only the tables for English: 3 MB for 34 (Documentation/Decisions.md). Without python3 all are linked.
ICU = $(shell python3 scripts/cut-icu-data.py $(SWIFT) .build/icu)
TESTED_FOLDER = .build/tests
# Compiles in a third of the time, and runs fast enough for tests: not optimised. With the last -O flag -Onone, Swift evaluates the
# condition of each `assert`, as in a debug build; a release leaves `assert` out, and keeps `precondition`. InvariantTests checks it.
PLAIN = -Xswiftc -Onone -Xcc -O0
# SEALITE_BUILD=plain builds with the flags of a release, but plain. `make test` runs README's commands so, as its last part: in CI in the
# folder of the tests, whose C objects, BoringSSL among them, have the same flags, elsewhere in a folder of its own, since the modules
# haven't.
ifeq ($(SEALITE_BUILD),plain)
FOLDER = $(if $(CI),$(TESTED_FOLDER),.build/plain)
OPTIMIZATION = $(PLAIN) --scratch-path $(FOLDER)
else
FOLDER = .build
endif
# The environment in which the tool is linked: without libraries that it loads when it uses them, and with the commit that it names.
LINKING = env $(shell scripts/link-folder.sh $(SWIFT) $(FOLDER)/link)
BIN = $(FOLDER)/release
EXTENSION = $(BIN)/libsealitevfs.so
TOOL = $(BIN)/sealite
# By its name, a program that loads the extension twice gets it once.
EXPORTS = -Xlinker --version-script=$(CURDIR)/scripts/sealitevfs.map -Xlinker -soname=libsealitevfs.so

# Notes the processor time of what it runs, for the table that `make test` prints at its end. A make inside make adds to the same table.
# With --build, --tests or --script the terminal has what is worth reading of its output, and .build/test-output.txt all of it.
COST = @scripts/costs.py run
# Not written out where it is used, so that `make -n` runs nothing.
AGAIN = $(MAKE)
ifndef COSTS_RUN
export COSTS_RUN := $(shell echo $$(date +%s)-$$PPID)
endif

.PHONY: help setup setup-demo setup-test build product demo-programs extension wheel deb release demo test test-debian13 print-alone print-sockets try lint bench soak fuzz docs docs-serve man \
    completions install uninstall clean

help: ## list the tasks
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /  \1\t/' | expand -t 16

setup: ## install the Debian packages that are missing for building and installing
	@scripts/setup.sh --install

setup-demo: ## those of the demo too: `make demo` does this
	@scripts/setup.sh --demo

setup-test: ## those of the tests and benchmarks too: `make test`, `make soak` and `make bench` do this
	@scripts/setup.sh --test

build: ## build the tool and the extension for release
	$(LINKING) $(SWIFT) build $(RELEASE) --product sealite
	@$(MAKE) --no-print-directory extension

# One product with the flags of a release, for scripts: make product NAME=sealite
product:
	$(LINKING) $(SWIFT) build $(RELEASE) --product $(NAME)

# What the demo runs, and nothing else.
demo-programs: build
	$(SWIFT) build $(RELEASE) --product GRDBDump
	$(SWIFT) build $(RELEASE) --product PersonMigration

extension: ## build libsealitevfs.so, which needs no Swift toolchain to run
	$(SWIFT) build $(RELEASE) --product sealitevfs $(EXPORTS)

wheel: extension ## build the Python wheel, the package `sealite` with the extension inside, into .build/wheel
	scripts/make-wheel.py $(EXTENSION) $(FOLDER)/wheel

demo: export SEALITE_PROGRAMS = $(BIN)
demo: setup-demo ## seal a real database, search for it on disk, open it from four programs; import real documents; sync
	@scripts/demo.sh
	@scripts/demo-documents.sh
	@scripts/demo-sync.sh

# These run by themselves: they talk to other processes, and their subject is who answers in time.
ALONE = SealiteCredentialsTests|SealiteAuthenticationTests
# So do these: TLS handshakes on real sockets, which starve beside everything else: the suites that take the sockets' turn, and those whose
# processes or per-document sync connect.
SOCKETS := $(shell grep -rl takesSocketTurn Tests --include='*Tests.swift' | sed 's|.*/||; s|[.]swift||' | sort | paste -sd '|' -)
SOCKETS := $(SOCKETS)|ListenerAuthenticationTests|SyncProcessTests|SyncCommandTests|SyncCredentialTests|RefusedDocumentTests|ForeignBlobTests
SOCKETS := $(SOCKETS)|ListenerAttackTests|SyncScriptTests|RandomRoundTests|KillTests|SyncSetTests|KeptSyncTests
# What is tested is compiled as for release, a module at a time, which takes less processor time than the debug build's batches of
# files (a third in two modules of tests), but plain: optimising would cost more than it saves here. ArgumentParser leaves out the
# checks of a debug build, which cost three quarters of each start of the tool. The flags fit no other build's, so it has a folder of
# its own.
TESTED = $(RESOLVED) -c release $(PLAIN) -debug-info-format none -Xswiftc -no-emit-module-separately-wmo -Xswiftc -use-ld=lld -Xswiftc -enable-testing -Xswiftc -DSEALITE_TESTS --scratch-path $(TESTED_FOLDER)
# A few tests at a time: hundreds at once starve each other, and those with a deadline fail on a slow machine.
FEW = --experimental-maximum-parallelization-width 3
# A test that hangs fails, with what was printed before it.
LIMIT = timeout --foreground --signal=INT --kill-after=60
# Not by `swift test`, which keeps what it was told for itself until it ends.
TESTS = $(TESTED_FOLDER)/release/SealitePackageTests.xctest --testing-library swift-testing $(FEW)
# Two runs do the same: sets and dictionaries have one order, and the tests' random numbers one seed (`TestSeed`), which the soak draws.
FIXED = env SWIFT_DETERMINISTIC_HASHING=1
test: export SEALITE_WITHOUT_BENCHMARKS = 1
test: setup-test ## every test that takes minutes
	$(COST) --build 'build: tests' $(SWIFT) build $(TESTED) --build-tests
	$(COST) --tests 'tests: most suites' $(FIXED) $(LIMIT) 2700 $(TESTS) --skip '$(ALONE)|$(SOCKETS)'
	$(COST) --tests 'tests: credentials, authentication' $(FIXED) $(LIMIT) 900 $(TESTS) --filter '$(ALONE)'
	$(COST) --tests 'tests: sockets' $(FIXED) $(LIMIT) 900 $(TESTS) --filter '$(SOCKETS)'
	@for check in scripts/test.d/*.sh; do \
	    scripts/costs.py run --script "$$(basename "$$check" .sh)" "$$check" $(TESTED_FOLDER) || exit 1; done
	@scripts/costs.py table

# make try TARGETS="SealiteQueryTests SealiteModelTests" FILTER=IndexTests
try: ## the tests of a few targets while working on them, TARGETS="SealiteQueryTests" FILTER=QueryTests
	SEALITE_TEST_TARGETS="$(TARGETS)" $(SWIFT) build $(TESTED) --product SealitePackageTests
	$(FIXED) $(TESTS) $(if $(FILTER),--filter '$(FILTER)')

test-debian13: setup-test ## the tests in a chroot of Debian 13, with its libraries; as root; the soak does it too
	$(COST) --build 'build: tests' $(SWIFT) build $(TESTED) --build-tests
	@scripts/soak.d/64-debian13.sh '$(SUITES)' $(TESTED_FOLDER)

# For scripts that run the tests in the same parts.
print-alone:
	@echo '$(ALONE)'
print-sockets:
	@echo '$(SOCKETS)'

lint: ## format, imports, file access, unfinished marks, sizes of files, public symbols, links between documents, pictures
	$(COST) 'lint: format' $(SWIFT) format lint --strict --recursive Package.swift Sources Tests Benchmarks
	$(COST) 'lint: rules' scripts/check-imports.sh
	$(COST) 'lint: sizes' scripts/file-sizes.py
	$(COST) 'lint: symbols' scripts/public-symbols.py
	$(COST) 'lint: links' scripts/check-links.py
	$(COST) 'lint: pictures' scripts/make-pictures.py --check

bench: setup-test ## speed and size, sealed against plain, beside the peers; BENCH='--rows 100000 --rounds 3' is short, BENCH=cold, foreign, growth or listener one part
ifeq ($(BENCH),growth)
	@scripts/bench-documents.sh growth
else ifeq ($(BENCH),cold)
	$(LINKING) $(SWIFT) build $(RELEASE) --product sealite
	@scripts/bench-cold.py $(BIN)/sealite
else ifeq ($(BENCH),foreign)
	$(LINKING) $(SWIFT) build $(RELEASE) --product sealite
	@scripts/bench-foreign.py $(BIN)/sealite
else ifeq ($(BENCH),listener)
	$(LINKING) $(SWIFT) build $(RELEASE) --product sealite
	$(SWIFT) build $(RELEASE) --product ListenerBench
	$(BIN)/ListenerBench $(BIN)/sealite
else
	$(SWIFT) build $(RELEASE) --product SealedFileBench
	$(SWIFT) build $(RELEASE) --product RotationBench
	$(SWIFT) build $(RELEASE) --product CredentialBench
	$(LINKING) $(SWIFT) build $(RELEASE) --product sealite
	@scripts/bench.sh $(BENCH)
	@scripts/bench-foreign.py $(BIN)/sealite
	@scripts/bench-rotation.sh $(BIN)/RotationBench
	@scripts/bench-documents.sh
	@scripts/bench-documents.sh growth
	@scripts/bench-cold.py $(BIN)/sealite
	@scripts/bench-vectors.sh
	@$(BIN)/CredentialBench
	$(SWIFT) build $(RELEASE) --product ReplicationBench
	$(BIN)/ReplicationBench
	$(SWIFT) build $(RELEASE) --product ListenerBench
	$(BIN)/ListenerBench $(BIN)/sealite
endif

soak: export SEALITE_SOAK = 1
# A million pairs of a random filter and a document, and a million searches beside scans.
soak: export SEALITE_FILTER_ROUNDS = 250000
soak: export SEALITE_INDEX_ROUNDS = 1000000
# A million pairs of a live query and a commit.
soak: export SEALITE_LIVE_ROUNDS = 1000000
# The build of `make test`: the optimiser of Swift 6.3.1 ends abnormally in tests that use values which can't be copied.
# The parts of scripts/soak.d say at their beginning what they do; SQLite's own suite on sealed files takes hours by itself,
# GRDB's tests half an hour.
soak: setup-test ## the long forms of the tests: hours
	$(COST) --build 'build: tests' $(SWIFT) build $(TESTED) --build-tests
	$(COST) --tests 'tests: most suites' $(TESTS) --skip '$(ALONE)|$(SOCKETS)'
	$(COST) --tests 'tests: credentials, authentication' $(TESTS) --filter '$(ALONE)'
	$(COST) --tests 'tests: sockets' $(TESTS) --filter '$(SOCKETS)'
	$(COST) --build 'build: release' $(LINKING) $(SWIFT) build $(RELEASE) --product sealite
	$(COST) --build 'build: extension' $(AGAIN) --no-print-directory extension
	$(COST) --script 'check-extension' scripts/check-extension.sh $(EXTENSION)
	@for check in scripts/soak.d/*.sh; do \
	    [ ! -e "$$check" ] || scripts/costs.py run --script "$$(basename "$$check" .sh)" "$$check" || exit 1; done
	@scripts/costs.py table

# make fuzz TARGET=wal SECONDS=600
fuzz: setup-test ## fuzz one parser of hostile bytes: TARGET=header, page, wal, journal, foreign, blip, properties, messages, json, jsonb, delta, functions, vectors, vector-lists, revision-tree, versions, query, values, mongo, schemas, match, words, cookies, endpoints, vault, pem, pkcs12 or x509-names, SECONDS=600
	@scripts/fuzz.sh $(or $(SECONDS),600) $(TARGET)

# The site is made of the modules that tests are built of: after `make test` nothing is compiled.
DOCS = .build/docs
docs: ## one static site: the documents, a search, the figures of the benchmarks (or of FIGURES=FILE, output of `make bench`) and the API
	@scripts/setup.sh --docs
	$(SWIFT) build $(TESTED) --target Sealite
	scripts/make-docs.py $(TESTED_FOLDER) $(DOCS)
	scripts/make-site.py $(DOCS) $(if $(FIGURES),--figures '$(FIGURES)')

docs-serve: docs ## show the site on this machine: http://localhost:8000/
	cd $(DOCS) && python3 -m http.server --bind 127.0.0.1 8000

man: ## the manual pages, from the tool's own help
	$(LINKING) $(SWIFT) build $(RELEASE) --product sealite
	scripts/make-man.py $(TOOL) .build/man

completions: ## completion scripts for bash, zsh and fish
	$(LINKING) $(SWIFT) build $(RELEASE) --product sealite
	@mkdir -p .build/completions
	$(TOOL) --generate-completion-script bash > .build/completions/sealite.bash
	$(TOOL) --generate-completion-script zsh > .build/completions/_sealite
	$(TOOL) --generate-completion-script fish > .build/completions/sealite.fish

# What `make install` copies, and where to. DESTDIR is put before each path, for packages.
prefix ?= /usr/local
bindir ?= $(prefix)/bin
libdir ?= $(prefix)/lib
includedir ?= $(prefix)/include
mandir ?= $(prefix)/share/man
completionsdir ?= $(prefix)/share
INSTALLED = $(bindir)/sealite $(libdir)/libsealitevfs.so $(libdir)/pkgconfig/sealitevfs.pc $(includedir)/sealitevfs.h \
    $(completionsdir)/bash-completion/completions/sealite \
    $(completionsdir)/zsh/site-functions/_sealite $(completionsdir)/fish/vendor_completions.d/sealite.fish

VERSION_OF_SOURCES = $(shell sed -n 's/.*static let number = "\(.*\)"/\1/p' Sources/SealiteFile/SealiteFile.swift)
# The programs are stripped: their symbols are half of the bytes. Empty for packages, which have the symbols apart.
STRIPPED = -s

# Builds nothing, so that it may run as root: `make build && sudo make install`. The manual pages are made by a script that needs
# Python 3, and are left out without it.
install: ## copy the tool, the extension, its header, manual pages and completions to prefix=/usr/local, below DESTDIR
	@[ -e $(TOOL) ] && [ -e $(EXTENSION) ] || { echo "install: nothing is built; run 'make build' first" >&2; exit 1; }
	install -D -m 755 $(STRIPPED) $(TOOL) $(DESTDIR)$(bindir)/sealite
	install -D -m 644 $(STRIPPED) $(EXTENSION) $(DESTDIR)$(libdir)/libsealitevfs.so
	install -D -m 644 Packaging/sealitevfs.h $(DESTDIR)$(includedir)/sealitevfs.h
	@install -d $(DESTDIR)$(libdir)/pkgconfig
	@sed -e 's|@prefix@|$(prefix)|; s|@libdir@|$(libdir)|; s|@includedir@|$(includedir)|; s|@version@|$(VERSION_OF_SOURCES)|' \
	    Packaging/sealitevfs.pc.in >$(DESTDIR)$(libdir)/pkgconfig/sealitevfs.pc
	@if command -v python3 >/dev/null; then scripts/make-man.py $(TOOL) "$(DESTDIR)$(mandir)/man1"; else \
	    echo "install: without python3 there are no manual pages" >&2; fi
	@for shell in bash:bash-completion/completions/sealite zsh:zsh/site-functions/_sealite fish:fish/vendor_completions.d/sealite.fish; do \
	    install -d "$(DESTDIR)$(completionsdir)/$$(dirname "$${shell#*:}")" && \
	    $(TOOL) --generate-completion-script "$${shell%%:*}" >"$(DESTDIR)$(completionsdir)/$${shell#*:}" || exit 1; done

uninstall: ## remove what `make install` copied, with the same prefix and DESTDIR
	rm -f $(addprefix $(DESTDIR),$(INSTALLED)) $(DESTDIR)$(mandir)/man1/sealite.1 $(DESTDIR)$(mandir)/man1/sealite[-.]*.1

# Needs what `scripts/setup.sh --packages` installs.
deb: build ## build the Debian packages sealite and libsealitevfs, with their debug symbols apart, into .build/deb
	@scripts/make-deb.sh $(BIN) $(FOLDER)/deb

# make release VERSION=0.1.0
release: ## make the sources, packages, list of components and checksums of a release, VERSION=0.1.0, in .build/dist: RELEASING.md
	@scripts/release.py $(VERSION) --check
	@$(AGAIN) --no-print-directory build
	@scripts/release.py $(VERSION)

clean: ## remove everything that was built
	rm -rf .build .build-tsan
