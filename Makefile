# make alone lists the targets; each is one line that a person could type.
.DEFAULT_GOAL := help
FUZZTIME ?= 1m

.PHONY: help build test fuzz bench lint

help: ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

build: ## build the command line into ./pact
	go build -o pact ./cmd/pact

test: ## vet and run all tests under the race detector
	go vet ./... && go test -race -timeout 20m ./...

fuzz: ## fuzz everything that reads bytes, FUZZTIME each (default 1m)
	@go list ./... | while read -r pkg; do for f in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do echo "$$pkg $$f"; go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$pkg || exit 1; done; done

bench: ## run the benchmarks of docs/benchmarks.md
	go test -run '^$$' -bench . -benchmem ./...

lint: ## format check and vet
	@test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }; go vet ./...
