// Package api reads the requests and answers of four APIs into one form: OpenAI
// chat completions, OpenAI Responses, Anthropic messages and Gemini
// generateContent. It also reads other servers that use one of these APIs.
//
// [Read] takes a request apart into three things:
//
//   - its parts: the definitions of tools, the system prompt and the contents of
//     the messages, in the order in which the provider puts them in front of the
//     model. Each part becomes a block of a context;
//   - its parameters: all other fields of the body;
//   - its frame: the fields of the body from which the parts were cut out. It
//     keeps what is not content: cache markers, a list where a string would do,
//     ids that the provider gave to items.
//
// [Request.Join] puts the three together again. docs/wire.md has the table of what
// becomes what.
package api
