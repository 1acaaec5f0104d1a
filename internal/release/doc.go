// Command release builds pact for the platforms that it is offered for, and makes of each binary an archive with its
// licences, a wheel for Python, a package of npm, a package for Debian, an image for containers, a bundle of MCP and a
// list of the modules in it; beside them a plugin for Claude Code and a formula for Homebrew. With -js it also packs
// the client for Node, which installs the package of its platform. SHA256SUMS lists them. It publishes nothing. The
// same commit and the same Go give the same bytes.
//
//	go run ./internal/release v0.1.0                           # for six platforms, in dist
//	go run ./internal/release -platforms linux/amd64 v0.1.0
package main
