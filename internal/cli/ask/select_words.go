package ask

import (
	"context"
	"errors"
	"regexp"
	"slices"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/selector"
)

// likeWords is what a text in place of a selector begins with, and what compares contents.
var likeWords = regexp.MustCompile(`^\s*\pL{3}|content|text`)

// pointToGrep adds to the error of a selector that may be words the command that looks for words.
func pointToGrep(a *command.App, s *command.Source, text string, err error) error {
	f, l := command.FactsOf(err), (*command.Located)(nil)
	if errors.As(err, &l) && l.Remedy == "" && f.Code == fault.SelectorInvalid && likeWords.MatchString(text) {
		l.Remedy = grepFor(a, s) + " finds words in texts; " + f.Remedy
	}
	return err
}

func grepFor(a *command.App, s *command.Source) string {
	if s.File != nil {
		return "pact grep --file " + screen.Quote(s.File.Name) + " WORDS"
	}
	return "pact grep " + a.Subject + a.InStore() + " WORDS"
}

// warnOfWords says, after a selector that compares contents found nothing, which command finds words inside of them.
func warnOfWords(a *command.App, s *command.Source, q *selector.Selector) {
	if comparesOneOf(q, "content", "text", "body", "message") {
		a.Warnf("an attribute compares the whole; %s finds words in texts", grepFor(a, s))
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
