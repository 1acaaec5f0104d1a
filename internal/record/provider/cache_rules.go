package provider

import (
	"slices"
	"strings"
	"time"

	"github.com/contexttree/pact/internal/canon"
)

// CacheRules is the table of one provider.
type CacheRules struct {
	Name    string   // the name that users choose it by
	Sources []string // addresses of the pages that document it
	// NoCache says that no source documents how the provider caches: it is expected to read nothing.
	NoCache bool
	// Settings are the parameters that belong to the cached prefix, each with
	// the first section that its change ends.
	Settings []Setting
	// Stripped is the beginning of a system text that the provider removes before
	// it caches, "" for none.
	Stripped string
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
	From  Section
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

// value returns the value of the setting in a request, "" if the request lacks it; on says that a part turns it on.
func (s *Setting) value(r *Request, on bool) string {
	if s.Cites || s.Holds != "" {
		return string(canon.Bool(on))
	}
	return string(get(r.Parameters, s.Path...).Value())
}

// turnsOn returns a bit for each of the settings that a part turns on for its request. A table has eight at most.
func (rules *CacheRules) turnsOn(p *Part) (bits uint8) {
	for i := range rules.Settings {
		s, on := &rules.Settings[i], false
		switch {
		case s.Cites:
			on = p.Section == Conversation && p.Content.Kind == canon.KindObject &&
				get(p.Content, "citations", "enabled").Text == "true"
		case s.Holds != "":
			on = p.Kind == s.Holds || p.Kind == "result" && slices.ContainsFunc(p.Content.Elems, func(e canon.Any) bool {
				return get(e, "type").Text == s.Holds
			})
		}
		if on {
			bits |= 1 << i
		}
	}
	return bits
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

// LeastTokens returns the tokens of the shortest prefix that the provider
// caches for a model, 0 if undocumented.
func (rules *CacheRules) LeastTokens(model string) int64 {
	for _, l := range rules.Least {
		if matchesModel(model, l.Models) {
			return l.Tokens
		}
	}
	return 0
}

// LifetimeOf returns how long a prefix of a model stays cached that was asked for with a word; zero if undocumented.
func (rules *CacheRules) LifetimeOf(model, word string) Lifetime {
	for _, l := range rules.Lifetimes {
		if l.Word == word && matchesModel(model, l.Models) {
			return l
		}
	}
	return Lifetime{}
}

// matchesModel reports whether a model's name begins with one of the words, or there
// are no words. It ignores a vendor in front of the name, as routers write it.
func matchesModel(model string, words []string) bool {
	name := model[strings.LastIndexByte(model, '/')+1:]
	return len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(name, w) })
}
