# make alone lists the targets; each is one line that a person could type.
.DEFAULT_GOAL := help
FUZZTIME ?= 1m
RUNS ?= 1000000
SECONDS ?= 60
SIZES ?= 1000,10000
VERSION ?= v0.0.0
# SQLite is a program in C that was translated to Go. Under the race detector it is three times as slow if it is
# watched too, and none of the races that could be found in it are ours.
RACE = -race -gcflags=modernc.org/libc=-race=false -gcflags=modernc.org/sqlite/lib=-race=false

.PHONY: help build test test-all fuzz selectors soak soak-server bench scale turns capacity lint notices house clients api agents browser inspector inspector-pictures types release picture

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

build: ## build the command line into ./pact
	go build -o pact ./cmd/pact

test: ## run all tests in their short form
	go run ./internal/runtests -short ./...

test-all: ## run all tests in full, then those that start goroutines in their short form under the race detector, then those of the modules benchmarks, otlp and server/clients: what CI runs
	go run ./internal/runtests -timeout 30m ./...
	raced=$$(go run ./internal/goroutines ./...) && go run ./internal/runtests $(RACE) -vet=off -short -timeout 30m $$raced
	go -C benchmarks vet ./... && go -C benchmarks test -short ./...
	go -C otlp vet ./... && go -C otlp test ./...
	go -C server/clients vet ./... && go -C server/clients test -run 'Document|Break' ./...

fuzz: ## fuzz everything that reads bytes, FUZZTIME each (default 1m)
	@go list ./... | while read -r pkg; do for f in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do echo "$$pkg $$f"; go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$pkg || exit 1; done; done

clients: ## install the providers' real clients for Python, Node and Go under build/clients and run them through the proxy
	internal/proxy/testdata/clients/install.sh build/clients
	build/clients/go/middleware.test
	PACT_CLIENTS=$(CURDIR)/build/clients go test -count=1 -v -run '^TestRealClients$$' ./internal/proxy

api: ## generate clients of the HTTP API for Python and TypeScript under build/api, run the guide, and fuzz the API from its document
	server/clients/install.sh build/api
	PACT_API_TOOLS=$(CURDIR)/build/api go -C server/clients test -count=1 -v ./...

agents: ## install Codex and opencode under build/agents (600 MB), and have pact run record them and Claude Code, if it is here
	mkdir -p build/agents && npm install --prefix build/agents --no-audit --no-fund --silent @openai/codex@0.169.0 opencode-ai@1.18.33
	PACT_AGENTS=$(CURDIR)/build/agents go test -count=1 -v -run '^Test(Codex|Opencode|OpencodeSubAgent|ClaudeCode)$$' ./internal/cli

browser: ## drive the inspector in a real Chromium; axe-core comes from npm into build/browser
	@command -v npm >/dev/null || echo "npm is missing: whether the screens are accessible is not tested"
	mkdir -p build/browser && ! command -v npm >/dev/null || npm install --prefix build/browser --no-audit --no-fund --silent axe-core@4.14.1
	go -C inspector/e2e vet ./... && go -C inspector/e2e run github.com/contexttree/pact/internal/runtests -timeout 15m ./...

inspector-numbers: ## measure the inspector on 1,000 calls of 100,000 nodes, as in docs/benchmarks.md
	PACT_MEASURE=1 go -C inspector/e2e test -count=1 -v -run '^TestMeasure$$' -timeout 30m .

soak: ## load one PostgreSQL, SECONDS each (default 60): 64 writers on 64 contexts and 16 on one, in one process and in two
	PACT_SOAK_SECONDS=$(SECONDS) go test -count=1 -run '^TestSoak' -v -timeout 24h ./store/postgres

soak-server: ## load pact serve, SECONDS each (default 60) on SQLite, on PostgreSQL and as two processes on one: 1,000 contexts over 200 connections, killed half way
	PACT_SOAK_SECONDS=$(SECONDS) go test -count=1 -run '^TestSoak$$' -v -timeout 24h ./server

selectors: ## parse and print RUNS random selectors (default 1000000)
	go test -run '^TestSoak$$' -v -timeout 24h ./selector -args -runs $(RUNS)

bench: ## run the benchmarks of docs/benchmarks.md
	go test -run '^$$' -bench . -benchmem ./...
	cd benchmarks && go test -run '^$$' -bench . -benchmem

scale: ## measure how costs grow from n to 4n and 16n, as in docs/benchmarks.md
	cd benchmarks && go run ./scale

turns: ## measure conversations of SIZES turns (default 1000,10000) beside plain rows, as in docs/benchmarks.md
	cd benchmarks && go run ./turns -sizes $(SIZES)

capacity: ## measure and simulate what one PostgreSQL has to hold and to do, as in docs/stores.md
	cd benchmarks && go run ./capacity

lint: ## format, vet, staticcheck, and a go.mod that says what is used
	@test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go vet ./...
	go mod tidy -diff
	go tool -modfile=tools.mod staticcheck ./...

notices: ## write THIRD_PARTY_NOTICES.txt anew
	UPDATE_NOTICES=1 go test -count=1 -run '^TestNoticesHoldEveryLinkedLicence$$' .

house: ## measure the root package: size, names, uses from file to file
	go run ./internal/house

release: ## build pact for six platforms and pack it into dist, as VERSION (default v0.0.0); publishes nothing
	go run ./internal/release $(VERSION)

picture: ## draw docs/terminal.svg, the picture of the README, anew
	go run ./internal/picture > docs/terminal.svg

inspector-pictures: ## take the pictures of docs/inspector.md anew, which needs a browser and ../shared/data
	PACT_WRITE_PICTURES=1 go -C inspector/e2e test -count=1 -run '^TestPicturesOfTheDocumentation$$' .

inspector: ## build the pages of the inspector from inspector/src into inspector/dist
	go -C inspector/build run .

types: ## check the types of inspector/src, run its tests, both of which need npm, and see whether inspector/dist is built from it
	@command -v npm >/dev/null || echo "npm is missing: the types of inspector/src are not checked"
	! command -v npm >/dev/null || (cd inspector && npm exec --yes --package=typescript@7.0.2 -- tsc -p .)
	go -C inspector/build vet ./...
	if command -v npm >/dev/null; then export PACT_REQUIRE_NODE=1; fi; go -C inspector/build test -count=1 ./...
