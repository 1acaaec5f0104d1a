// Package dialect says what providers cache of a request, in which order and for
// how long, one table for each; which part of a request ends the prefix that it
// shares with the one before; and how much of it a provider can be expected to
// read from its cache.
//
// docs/wire.md has the tables with their sources. What no source says is not in
// them, and nothing is guessed in its place.
package dialect

import (
	"slices"
	"strings"
	"time"

	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/canon"
)

// Dialect is the table of one provider.
type Dialect struct {
	Name    string   // by which users choose it
	Sources []string // addresses of the pages that say so
	// AsSent: nothing is known of what the provider makes of a request. It is taken as
	// the bytes of its body, and neither a cache nor an order is assumed.
	AsSent bool
	// Settings are the parameters that are part of the cached prefix, with the section
	// from which on a change ends it.
	Settings []Setting
	// Apart is how a text of the system prompt begins that the provider takes out
	// before it caches, "" for none.
	Apart string
	// Marked: a prefix is cached where a block has a marker, and nowhere else.
	// Otherwise the provider caches by itself.
	Marked bool
	// LookBack is at how many blocks a prefix is looked for that an earlier request
	// wrote, that of the marker included. 0: at all before it.
	LookBack int
	// Step: tokens that are read are counted in multiples of it, 1 for exactly; 0 where
	// nobody says how.
	Step int64
	// Least is how many tokens the shortest prefix has that is cached, by how the name
	// of the model begins; the first that fits counts.
	Least []Least
	// Lifetimes say how long a prefix stays cached after it was written or read; the
	// first that fits counts.
	Lifetimes []Lifetime
}

// Setting is a parameter that is part of the cached prefix.
type Setting struct {
	Path []string // of the member of the body
	// Holds is, in place of a path, the kind of a block: whether there is one at all is
	// part of the prefix.
	Holds string
	From  api.Section
}

// Name is how a setting is called in reports.
func (s *Setting) Name() string {
	if s.Holds != "" {
		return "any " + s.Holds
	}
	return strings.Join(s.Path, ".")
}

// value is the value of the setting in a request, "" where it has none.
func (s *Setting) value(r *api.Request) string {
	if s.Holds == "" {
		return string(follow(r.Parameters, s.Path...).Value())
	}
	holds := func(p api.Part) bool {
		return p.Kind == s.Holds || p.Kind == "result" && slices.ContainsFunc(p.Content.Elems, func(e canon.Any) bool {
			return follow(e, "type").Text == s.Holds
		})
	}
	return string(canon.Bool(slices.ContainsFunc(r.Parts, holds)))
}

// Least is the length of the shortest prefix that is cached for some models.
type Least struct {
	Models []string // how their names begin; none for all
	Tokens int64
}

// Lifetime is how long a prefix stays cached.
type Lifetime struct {
	Models []string      // how the names of the models begin; none for all
	Word   string        // with which a marker or the request asks for it, "" without one
	Sure   time.Duration // as long it is cached, as the provider says
	Most   time.Duration // after that it is not; 0 where nobody says so
}

// All returns the dialects in the order in which they are listed.
func All() []*Dialect { return []*Dialect{anthropic, openAIChat, openAIResponses, gemini, other} }

// Named returns the dialect of a name, nil if there is none.
func Named(name string) *Dialect {
	at := slices.IndexFunc(All(), func(d *Dialect) bool { return d.Name == name })
	if at < 0 {
		return nil
	}
	return All()[at]
}

// Of returns the dialect of a recorded API.
func Of(name api.Name) *Dialect {
	switch name {
	case api.Messages:
		return anthropic
	case api.Chat:
		return openAIChat
	case api.Responses:
		return openAIResponses
	case api.Gemini:
		return gemini
	}
	return other
}

// LeastTokens is how many tokens the shortest prefix has that is cached for a
// model, 0 where nobody says so.
func (d *Dialect) LeastTokens(model string) int64 {
	for _, l := range d.Least {
		if begins(model, l.Models) {
			return l.Tokens
		}
	}
	return 0
}

// lifetime returns how long a prefix stays cached; zero where nobody says so.
func (d *Dialect) lifetime(model, word string) Lifetime {
	for _, l := range d.Lifetimes {
		if l.Word == word && begins(model, l.Models) {
			return l
		}
	}
	return Lifetime{}
}

// begins reports whether a name begins with one of the words, or there are none.
// A name may have that of its maker before it, as routers write it.
func begins(model string, words []string) bool {
	name := model[strings.LastIndexByte(model, '/')+1:]
	return len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(name, w) })
}
