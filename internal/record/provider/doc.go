// Package provider knows the APIs of providers: OpenAI chat completions, OpenAI
// Responses, Anthropic messages and Gemini generateContent, and other servers that
// use one of them. The table in provider.go lists them. Of each API one file says
// how its requests are read and written, one (…_answer.go) how its answers are put
// together, and one (…_cache.go) what the provider caches, with sources and no guesses.
//
// [ReadRequest] takes a request apart into three things:
//
//   - its parts: the definitions of tools, the system prompt and the contents of
//     the messages, in the order in which the provider puts them in front of the
//     model. Each part becomes a block of a context;
//   - its parameters: all other fields of the body;
//   - its frame: the fields of the body from which the parts were cut out. It
//     keeps what is not content: cache markers, a list where a string would do,
//     ids that the provider gave to items.
//
// [Request.Join] puts the three together again, and [Render] writes parts for another API.
// An [Assembler] puts an answer together from copies of its bytes as they pass. It never
// fails, because the client's own reading must not depend on it: the [Answer] says what
// could not be read. [CacheRules] say which part of a request ends the prefix that it
// shares with the previous one; a [Cache] forecasts how much of it the provider reads.
package provider
