// Package openai writes snapshots as parameters of OpenAI's own Go client, for chat completions and for Responses, and
// adds its messages and answers to contexts. Every field comes back, also those that this version of the client does
// not know.
package openai
