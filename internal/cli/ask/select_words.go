package ask

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"
)

var (
	addressIn = regexp.MustCompile(`@\S*`)
	quotedIn  = regexp.MustCompile(`'([^']+)'|"([^"]+)"`)
	wordsIn   = regexp.MustCompile(`[\p{L}\p{N}][\p{L}\p{N} ,.?!_-]*`)
)

// wordsOf returns the words that a text in place of a selector may look for: what is quoted, else
// the last of its words, "" for too few letters.
func wordsOf(text string) string {
	words := ""
	if quoted := quotedIn.FindStringSubmatch(text); quoted != nil {
		words = quoted[1] + quoted[2]
	} else if list := wordsIn.FindAllString(addressIn.ReplaceAllString(text, ""), -1); list != nil {
		words = list[len(list)-1]
	}
	if words = strings.TrimSpace(words); len(words) < 3 {
		return ""
	}
	return words
}

// grepFor returns the command that finds the words of a selector, "" if no text has them.
func grepFor(ctx context.Context, a *command.App, s *command.Source, text string) string {
	words := wordsOf(text)
	c, err := s.History(ctx)
	if err != nil || words == "" {
		return ""
	}
	tail, err := record.TailOf(ctx, c)
	if err != nil {
		return ""
	}
	from, to, working, err := grepSpan(c, nil, tail)
	if err != nil {
		return ""
	}
	pattern := regexp.MustCompile("(?i)" + regexp.QuoteMeta(words))
	found, err := view.Grep(ctx, c, from, to, working, pattern, func(int64) {})
	if err != nil || len(found) == 0 {
		return ""
	}
	grep := "pact grep " + a.Subject + a.InStore()
	if s.File != nil {
		grep = "pact grep --file " + screen.Quote(s.File.Name)
	}
	return grep + " -i -F " + screen.Quote(words)
}

// pointToGrep adds to the error of a selector that its words are in a text, if they are.
func pointToGrep(ctx context.Context, a *command.App, s *command.Source, text string, err error) error {
	f := command.FactsOf(err)
	if err == nil || f.Code != fault.SelectorInvalid {
		return err
	}
	if l := (*command.Located)(nil); errors.As(err, &l) {
		text = l.Text // without the blanks and the word working in front, which no offset counts
	}
	if grep := grepFor(ctx, a, s, text); grep != "" {
		more := *f
		more.Remedy = grep + " finds these words in texts; " + more.Remedy
		return command.InArgument(&more, text)
	}
	return err
}

// warnOfWords says, after a selector that compares contents found nothing, which command finds
// its words inside of them.
func warnOfWords(ctx context.Context, a *command.App, s *command.Source, q *selector.Selector, text string) {
	if !comparesOneOf(q, "content", "text", "body", "message") {
		return
	}
	if grep := grepFor(ctx, a, s, text); grep != "" {
		a.Warnf("an attribute compares the whole; %s finds these words in texts", grep)
	}
}

// comparesOneOf reports whether a selector compares one of some attributes.
func comparesOneOf(q *selector.Selector, names ...string) bool {
	return slices.ContainsFunc(view.ComparedIn(q), func(attr selector.Attr) bool { return slices.Contains(names, attr.Name) })
}

// someOf finds for the warnings about mistyped words.
func someOf(ctx context.Context, s *command.Source) view.FindSome {
	return func(q *selector.Selector, limit int) ([]pact.Hit, error) {
		return s.Find(ctx, q, pact.SelectOptions{Limit: limit})
	}
}

func warnAll(a *command.App, warnings []string) {
	for _, text := range warnings {
		a.Warnf("%s", text)
	}
}
