// Package clients holds the HTTP API to what programs in other languages rely on: its OpenAPI
// document is valid, the guide runs in three languages, and no request that the document allows
// makes the server fail.
package clients
