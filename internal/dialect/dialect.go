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
	Name    string   // the name that users choose it by
	Sources []string // addresses of the pages that document it
	// AsSent says that nobody documents how the provider caches. The dialect
	// then compares the bytes of bodies and assumes neither a cache nor an
	// order.
	AsSent bool
	// Settings are the parameters that belong to the cached prefix, each with
	// the first section that its change ends.
	Settings []Setting
	// Apart is the beginning of a system text that the provider removes before
	// it caches, "" for none.
	Apart string
	// Forgets lists beginnings of the names of models for which the provider
	// removes the thinking of all turns before the last question of the user.
	Forgets []string
	// Marked says that the provider caches a prefix only where a block has a
	// marker. Otherwise it caches without markers.
	Marked bool
	// LookBack is how many blocks back from a marker, the marked one included,
	// the provider looks for an earlier prefix; 0 for no limit.
	LookBack int
	// Step is the multiple in which the provider counts tokens that it read: 1
	// if exactly; 0 if undocumented.
	Step int64
	// Least is the smallest number of tokens that the provider caches, by the
	// beginning of the model's name; the first entry that fits counts.
	Least []Least
	// Lifetimes say how long a prefix stays cached after it was last written or
	// read; the first entry that fits counts.
	Lifetimes []Lifetime
}

// Setting is a parameter that belongs to the cached prefix.
type Setting struct {
	Path []string // path of the member in the body
	// Holds, in place of a path, is a kind of block: the prefix depends on
	// whether the request has any block of that kind.
	Holds string
	// Cites, in place of both, says that the prefix depends on whether any
	// document is to be cited.
	Cites bool
	From  api.Section
}

// Name returns the name of a setting in reports.
func (s *Setting) Name() string {
	switch {
	case s.Holds != "":
		return "any " + s.Holds
	case s.Cites:
		return "citations"
	}
	return strings.Join(s.Path, ".")
}

// value returns the value of the setting in a request, "" if the request lacks
// it.
func (s *Setting) value(r *api.Request) string {
	switch {
	case s.Cites:
		cites := func(p api.Part) bool {
			return p.Section == api.Conversation && follow(p.Content, "citations", "enabled").Text == "true"
		}
		return string(canon.Bool(slices.ContainsFunc(r.Parts, cites)))
	case s.Holds == "":
		return string(follow(r.Parameters, s.Path...).Value())
	}
	holds := func(p api.Part) bool {
		return p.Kind == s.Holds || p.Kind == "result" && slices.ContainsFunc(p.Content.Elems, func(e canon.Any) bool {
			return follow(e, "type").Text == s.Holds
		})
	}
	return string(canon.Bool(slices.ContainsFunc(r.Parts, holds)))
}

// Least is the length of the shortest prefix that a provider caches for some
// models.
type Least struct {
	Models []string // beginnings of their names; none for all models
	Tokens int64
}

// Lifetime is how long a prefix stays cached.
type Lifetime struct {
	Models []string      // beginnings of the models' names; none for all models
	Word   string        // the word in a marker or request that asks for it, "" without one
	Sure   time.Duration // the provider guarantees the prefix for so long
	Most   time.Duration // after so long the prefix is gone; 0 if undocumented
}

// All returns the dialects in the order of listings.
func All() []*Dialect { return []*Dialect{anthropic, openAIChat, openAIResponses, gemini, other} }

// Named returns the dialect with a name, nil if there is none.
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

// LeastTokens returns the tokens of the shortest prefix that the provider
// caches for a model, 0 if undocumented.
func (d *Dialect) LeastTokens(model string) int64 {
	for _, l := range d.Least {
		if begins(model, l.Models) {
			return l.Tokens
		}
	}
	return 0
}

// lifetime returns how long a prefix stays cached; zero if undocumented.
func (d *Dialect) lifetime(model, word string) Lifetime {
	for _, l := range d.Lifetimes {
		if l.Word == word && begins(model, l.Models) {
			return l
		}
	}
	return Lifetime{}
}

// begins reports whether a model's name begins with one of the words, or there
// are no words. It ignores a vendor in front of the name, as routers write it.
func begins(model string, words []string) bool {
	name := model[strings.LastIndexByte(model, '/')+1:]
	return len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(name, w) })
}
