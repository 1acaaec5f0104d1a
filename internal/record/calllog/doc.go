// Package calllog reads the logs that programs leave of their calls to models:
// bodies of requests, archives of HTTP exchanges, logs of gateways, evaluations
// and agents, and exports of conversations. The result is always a
// series of calls, each with the request to one of the four APIs and its answer.
// Package record makes contexts of them.
//
// A reader decides by the contents of a file. It counts parts that it cannot map in a
// finding; a line that breaks the format is an error with its number. No
// reader runs anything, follows a link or opens a second file.
package calllog
