// Package server serves the contexts of a store over HTTP, for programs that are not
// written in Go. Every operation is one call of package pact; docs/openapi.json describes
// them, docs/server.md what holds for all.
//
//	s := server.New(store, server.Options{})
//	defer s.Close()
//	http.Handle("/", s)
//	fmt.Println("http://127.0.0.1:7741/#token=" + s.Token())
//
// Other users of the machine and every web page that a browser shows can reach loopback,
// and conversations hold secrets. So the handler answers only requests that name it by a
// host that it knows, that no foreign page sent, and that carry its token.
package server
