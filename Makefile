# make alone lists the targets; each is one line that a person could type.
.DEFAULT_GOAL := help
FUZZTIME ?= 1m
VERSION ?= v0.0.0
THIS = $(shell go env GOOS)/$(shell go env GOARCH)
TESTS = go tool -modfile=tools.mod gotestsum --format pkgname --format-hide-empty-pkg
# Tests are linked without tables for a debugger, a third of what linking seventy of them costs; make lint vets. The packages
# whose tests take and wait longest begin first, so that none of them is left for the end.
QUICK = -vet=off -ldflags=-w
ALL = ./store/postgres ./internal/cli ./server ./...
# SQLite is a program in C that was translated to Go. Under the race detector it is three times as slow if it is
# watched too, and none of the races that could be found in it are ours.
RACE = -race -gcflags=modernc.org/libc=-race=false -gcflags=modernc.org/sqlite/lib=-race=false
# Neither the tests of these packages nor what they call starts a goroutine, so they are left out under the race detector.
PURE = examples/.*|fault|inspector|lifecycle|internal/(canon|commit|differ.*|document|query|record/(calllog|provider|wire)|release|safefile|search|toolcall|verify)

.PHONY: help build test test-all lint fuzz bench attack clients browser generate wheel npm release

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

build: ## build the command line into ./pact
	go build -o pact ./cmd/pact

test: ## run all tests in their short form
	GOGC=200 $(TESTS) -- -short $(QUICK) $(ALL)

test-all: ## run all tests in full, then those that start goroutines in their short form under the race detector, then those of the modules benchmarks, otlp, adapters and server/clients: what CI runs
	$(TESTS) -- $(QUICK) -timeout 30m $(ALL)
	CGO_ENABLED=1 $(TESTS) -- $(RACE) $(QUICK) -short -timeout 30m $$(go list ./... | grep -vE '/($(PURE))$$')
	go -C benchmarks vet ./... && go -C benchmarks test -short ./...
	go -C otlp vet ./... && go -C otlp test ./...
	for m in adapters/*/; do go -C $$m vet ./... && go -C $$m test ./... || exit 1; done
	go -C server/clients vet ./... && go -C server/clients test -run Document ./...

lint: ## format, vet, staticcheck, a go.mod that says what is used, and no failed random test in git
	@test -z "$$(git ls-files '*testdata/rapid/*')" || { git ls-files '*testdata/rapid/*'; exit 1; }
	@test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go vet ./...
	go mod tidy -diff
	go tool -modfile=tools.mod staticcheck ./...

fuzz: ## fuzz everything that reads bytes, FUZZTIME each (default 1m)
	@go list ./... | while read -r pkg; do for f in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do echo "$$pkg $$f"; go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$pkg || exit 1; done; done

bench: ## run the benchmarks of docs/benchmarks.md
	go test -run '^$$' -bench . -benchmem ./...
	cd benchmarks && go test -run '^$$' -bench . -benchmem

attack: ## try what strangers, endless inputs, hostile providers and broken files can do, and print what each attack cost; SHORT=-short takes what CI tries
	@printf '%-73s %8s %8s\n' attack seconds 'peak MB'
	@PACT_ATTACK=1 go test $(SHORT) -count=1 -run '^TestAttack' -v -timeout 10m ./internal/librarytest ./record ./store/... ./server 2>&1 | awk '{all = all $$0 "\n"} /^FAIL/ {bad = 1} split($$0, row, "door: ") > 1 {print row[2]; fflush()} END {if (bad) printf "%s", all; exit bad}'

clients: ## run the providers' real clients through the proxy, the clients in Python and TypeScript, clients that are generated from docs/openapi.json and the guide against the server, and fuzz the server from its document; installs under build/clients, build/python, build/typescript and build/api
	internal/record/proxy/testdata/clients/install.sh build/clients
	build/clients/go/middleware.test
	PACT_CLIENTS=$(CURDIR)/build/clients go test -count=1 -v -run '^TestRealClients$$' ./internal/record/proxy
	clients/python/install.sh build/python
	clients/python/test.sh build/python
	clients/typescript/install.sh build/typescript
	clients/typescript/test.sh build/typescript
	server/clients/install.sh build/api
	PACT_API_TOOLS=$(CURDIR)/build/api PACT_TYPESCRIPT=$(CURDIR)/build/typescript go -C server/clients test -count=1 -v ./...

browser: ## check the types of inspector/src, run its tests, see whether inspector/dist is built from it, and drive it in a real Chromium; what needs npm is left out without it
	@command -v npm >/dev/null || echo "npm is missing: neither the types of inspector/src nor whether the screens are accessible is tested"
	! command -v npm >/dev/null || (cd inspector && npm exec --yes --package=typescript@7.0.2 -- tsc -p .)
	go -C inspector/build vet ./...
	if command -v npm >/dev/null; then export PACT_REQUIRE_NODE=1; fi; go -C inspector/build test -count=1 ./...
	mkdir -p build/browser && ! command -v npm >/dev/null || npm install --prefix build/browser --no-audit --no-fund --silent axe-core@4.14.1
	go -C inspector/e2e vet ./... && $(TESTS) --raw-command -- go -C inspector/e2e test -json -timeout 15m ./...

generate: ## write anew what is made from other files: inspector/dist, the types of clients/typescript (with Node) and of clients/python, THIRD_PARTY_NOTICES.txt, docs/terminal.svg
	go -C inspector/build run .
	node clients/typescript/generate.mjs
	python3 clients/python/tools/generate.py
	UPDATE_NOTICES=1 go test -count=1 -run '^TestNoticesHoldEveryLinkedLicence$$' .
	UPDATE_PICTURE=1 go test -count=1 -run '^TestThePictureOfTheReadme' ./internal/cli

wheel: ## build the Python package for this machine into dist, which needs Go alone
	go run ./internal/release -only wheel -platforms $(THIS) $(VERSION)

npm: ## build the packages for Node for this machine into dist, which needs npm
	clients/typescript/install.sh build/typescript
	clients/typescript/build.sh build/typescript
	go run ./internal/release -only npm -js build/typescript/dist -platforms $(THIS) $(VERSION)

release: ## build pact for six platforms and pack it into dist, as VERSION (default v0.0.0), with the clients for Python and for Node, which needs npm; publishes nothing
	clients/typescript/install.sh build/typescript
	clients/typescript/build.sh build/typescript
	go run ./internal/release -js build/typescript/dist $(VERSION)
