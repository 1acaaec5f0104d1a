// Command release builds pact for the platforms that it is offered for, and packs
// each binary with its licences into an archive and a package of npm, and with the package
// for Python into a wheel. With -js it also packs the client for Node, which installs the
// package of its platform. SHA256SUMS lists them. It publishes nothing. The same commit
// and the same Go give the same bytes.
//
//	go run ./internal/release v0.1.0                           # six archives, wheels and packages in dist
//	go run ./internal/release -platforms linux/amd64 v0.1.0
package main
