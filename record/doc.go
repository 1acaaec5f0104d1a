// Package record records the calls that a program makes to a provider. A request
// to any of four APIs becomes one cycle of a context, and its answer the
// beginning of the next cycle. It needs no SDK and takes one line:
//
//	rec := record.New(store, record.Options{Context: "chat"})
//	defer rec.Close()
//	openai.NewClient(option.WithMiddleware(rec.Middleware))
//	anthropic.NewClient(option.WithMiddleware(rec.Middleware))
//	&http.Client{Transport: rec.Transport(nil)} // for everything else
//
// Each request is an attempt, and a retry is another attempt. The tools of a
// request become blocks of kind tool at the front of ^sys, its system prompt
// follows there, and its messages become blocks of turns. The attempt keeps the
// model, the parameters and the way the body was written, so that [Request] can
// return the body byte for byte. A block that continues from call to call keeps its id;
// docs/wire.md says how.
//
// Of the headers a recorder stores only those that name a version or a beta of an
// API, and it stores no queries of URLs: so no keys, cookies or signatures.
package record
