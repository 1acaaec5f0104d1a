package command

import (
	"context"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/nearest"
	"github.com/contexttree/pact/internal/record/sessions"
	"github.com/contexttree/pact/internal/view"
)

// Exactly returns an error if no context has the name: E_CONTEXT_NOT_FOUND, which names what was nearly meant. A command
// that changes a context takes no part of its name, because a second run of a script would meet the next one.
func (a *App) Exactly(ctx context.Context, s *pact.DB, name string) error {
	a.Subject = screen.Quote(name)
	_, missing := s.Find(ctx, name)
	if fault.CodeOf(missing) != fault.ContextNotFound {
		return nil // what else is wrong says who opens it
	}
	meant, err := a.partly(ctx, s, name, missing)
	if err == nil {
		a.nearest = meant
		return missing
	}
	return err
}

// Named returns the name of the context that a user means who looks at it: the name itself; else the file that the
// context was imported from; else a beginning, of 3 characters at least, of exactly one name, or of its part behind the
// last slash, which is the id of a session. What is not the whole name is said on standard error. E_CONTEXT_NOT_FOUND
// names what was nearly meant.
func (a *App) Named(ctx context.Context, s *pact.DB, name string) (string, error) {
	a.Subject = screen.Quote(name)
	_, missing := s.Find(ctx, name)
	if fault.CodeOf(missing) != fault.ContextNotFound {
		return name, nil // what else is wrong says who opens it
	}
	meant, err := a.partly(ctx, s, name, missing)
	if err != nil {
		return "", err
	}
	a.Subject = screen.Quote(meant)
	a.Warnf("this is about %s", view.Visible(meant))
	return meant, nil
}

// partly returns the one context that a part of its name means; without one missing, or an error with all.
func (a *App) partly(ctx context.Context, s *pact.DB, name string, missing error) (string, error) {
	list, err := pact.List(ctx, s)
	if err != nil {
		return "", err
	}
	imported := importedAs(a.Env, name)
	var names, begun []string
	for _, c := range list {
		if c.Name == imported {
			return c.Name, nil
		}
		names = append(names, c.Name)
		if len(name) >= leastBegun && (strings.HasPrefix(c.Name, name) || strings.HasPrefix(path.Base(c.Name), name)) {
			begun = append(begun, c.Name)
		}
	}
	switch len(begun) {
	case 0:
		a.nearest = nearest.Word(name, names)
		return "", missing
	case 1:
		return begun[0], nil
	}
	slices.Sort(begun)
	listed := screen.Cells(begun[:min(len(begun), mostListed)]...)
	if more := len(begun) - mostListed; more > 0 {
		listed = append(listed, view.Plural(more, "other"))
	}
	return "", fault.At(fault.ContextNotFound, fault.NoOffset, name, view.Plural(len(begun), "context")+" begin with "+
		screen.Quote(name)+": "+strings.Join(listed, ", "), wholeName)
}

// Neither returns the error for a name that is no file and, as missing says, no context. It names what was nearly meant.
func (a *App) Neither(name string, missing error) error {
	if FactsOf(missing).Remedy == wholeName {
		return missing
	}
	return fault.At(fault.NotFound, fault.NoOffset, name, "there is no file and no context "+screen.Quote(name),
		a.asks("pact contexts"+a.InStore()+" lists those of "+a.Shown()))
}

// asks puts before an advice whether the context was meant whose name is nearest.
func (a *App) asks(advice string) string {
	if a.nearest == "" {
		return advice
	}
	return "did you mean " + screen.Quote(a.nearest) + "? " + advice
}

const (
	mostListed = 5 // names that an error lists
	wholeName  = "write the whole name"

	leastBegun = 3 // bytes of a beginning that names a context; shorter ones are typing errors
)

// importedAs returns the name that importing a file gives its context, "" if there is no such file.
func importedAs(env map[string]string, file string) string {
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	if s := sessions.At(env, file); s != nil {
		return s.Name()
	}
	return (&Input{Name: file}).Base()
}
