# Every target does its own set-up: `make test` on a fresh Debian machine installs what is missing,
# builds and tests. Underneath are CMake presets (`cmake --list-presets`) that work without make.

PREFIX ?= /usr/local
# A compiler process takes up to 1.5 GB: no more of them than fit into memory.
JOBS ?= $(shell awk -v cores="$$(nproc)" '/^MemAvailable/ { fit = int($$2 / 1572864) } \
  END { print fit < 1 ? 1 : (fit < cores ? fit : cores) }' /proc/meminfo)
TEST_JOBS ?= 2

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# Presets that make drives; each has its own folder under build/.
BUILD = cmake --build --preset $(1) --parallel $(JOBS)
TEST = tools/test.sh $(1) -j$(TEST_JOBS)

.PHONY: help
help: ## List the targets
	@echo 'Targets:'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | \
	  awk -F'|' '{ printf "  make %-11s %s\n", $$1, $$2 }'
	@echo 'Variables: PREFIX=$(PREFIX) JOBS=$(JOBS) TEST_JOBS=$(TEST_JOBS)'

.PHONY: demo
demo: program ## Train a model on German Credit, explain rejected applicants, compare the methods
	@tools/demo.sh

.PHONY: program
program: build/release/build.ninja ## Build the program alone
	@$(call BUILD,release) --target croco_cli

.PHONY: build
build: build/release/build.ninja build/.python-env ## Build the library, the program, the Python package and the tests
	@$(call BUILD,release)

.PHONY: test
test: build build/.packages-browser ## Build and run every test
	@$(call TEST,release)

.PHONY: test-fast
test-fast: build build/.packages-browser ## Build and run the tests, except those labelled slow
	@$(call TEST,release-fast)

.PHONY: asan
asan: build/asan/build.ninja ## Run the fast tests under the address and undefined-behaviour sanitizers
	@$(call BUILD,asan)
	@$(call TEST,asan)

.PHONY: tsan
tsan: build/tsan/build.ninja ## Run the fast tests under the thread sanitizer
	@$(call BUILD,tsan)
	@$(call TEST,tsan)

.PHONY: wheel
wheel: program build/.packages-python ## Build the Python wheel into build/wheel
	@tools/wheel.sh build/release build/wheel

.PHONY: python-test
python-test: wheel ## Install the wheel into fresh virtual environments and test it there
	@tools/python_test.sh build/wheel

SECONDS ?= 600
FUZZERS ?= onnx xgboost lightgbm catboost network bundle schema csv

.PHONY: fuzz
fuzz: build/fuzz/build.ninja ## Fuzz the readers of files: SECONDS for each of FUZZERS
	@$(call BUILD,fuzz)
	@tools/fuzz.sh build/fuzz $(SECONDS) $(FUZZERS)

.PHONY: bench
bench: build/bench/build.ninja ## Build and run the benchmarks
	@$(call BUILD,bench)
	@find build/bench/benchmarks -maxdepth 1 -type f -executable | sort | \
	  while read -r program; do echo "== $$program"; "$$program" || exit 1; done

.PHONY: lint
lint: build/release/build.ninja build/.packages-lint ## Check format, layers, headers and clang-tidy
	@$(call BUILD,release) --target all_verify_interface_header_sets
	@tools/lint.sh build/release $(JOBS)

.PHONY: format
format: build/.packages-lint ## Format the C++ files in place
	@tools/lint.sh --format

.PHONY: docs
docs: program build/.docs-env ## Build the documentation site into build/docs/html
	@tools/docs.sh build/release/apps/cli/croco build/docs-env build/docs

.PHONY: package
package: program build/.packages-package ## Build the Debian package and the archives into build/package
	@tools/package.sh build/package $(JOBS)

.PHONY: package-test
package-test: package ## Install the package in a minimal Debian, try it and purge it; needs root and mmdebstrap
	@tools/package_test.sh build/package

.PHONY: install
install: program ## Build the program and install it into PREFIX, with the library and the documents
	@cmake --install build/release --prefix "$(PREFIX)"

.PHONY: clean
clean: ## Remove everything that was built
	@rm -rf build

build/.packages: tools/install_packages.sh
	@mkdir -p build
	@tools/install_packages.sh build web
	@touch $@

# The interpreter and the packages that the Python package is built and tested with; the program alone
# needs none of them. CMake looks for them again once they are there.
build/.python-env: tools/python_env.sh | build/release/build.ninja build/.packages-python
	@tools/python_env.sh build/python-env
	@cmake --preset release
	@touch $@

build/.docs-env: tools/docs_env.sh docs/requirements.txt | build/.packages-docs
	@tools/docs_env.sh build/docs-env
	@touch $@

build/.packages-%: tools/install_packages.sh
	@mkdir -p build
	@tools/install_packages.sh $*
	@touch $@

# Ninja runs CMake again when a CMakeLists.txt changes; only presets need a fresh configure here.
build/bench/build.ninja: | build/.packages-bench
build/fuzz/build.ninja build/asan/build.ninja: | build/.packages-fuzz
build/%/build.ninja: CMakePresets.json | build/.packages
	@cmake --preset $*
	@touch $@
