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
	"github.com/contexttree/pact/internal/record/sessions"
	"github.com/contexttree/pact/internal/view"
)

// Named returns the name of the context that a user means: the name itself; else the file that the context was
// imported from; else a beginning, of 3 characters at least, of exactly one name, or of its part behind the last slash,
// which is the id of a session. What is not the whole name is said on standard error. E_CONTEXT_NOT_FOUND names what was nearly meant.
func (a *App) Named(ctx context.Context, s *pact.DB, name string) (string, error) {
	a.Subject = screen.Quote(name)
	_, missing := s.Find(ctx, name)
	if missing == nil || name == "" || fault.CodeOf(missing) != fault.ContextNotFound {
		return name, missing
	}
	list, err := pact.List(ctx, s)
	if err != nil {
		return "", err
	}
	imported := importedAs(a.Env, name)
	var names, begun []string
	for _, c := range list {
		if c.Name == imported {
			return a.meant(c.Name), nil
		}
		names = append(names, c.Name)
		if len(name) >= leastBegun && (strings.HasPrefix(c.Name, name) || strings.HasPrefix(path.Base(c.Name), name)) {
			begun = append(begun, c.Name)
		}
	}
	switch len(begun) {
	case 0:
		a.nearest = view.Meant(name, names)
		return "", missing
	case 1:
		return a.meant(begun[0]), nil
	}
	slices.Sort(begun)
	listed := screen.Cells(begun[:min(len(begun), mostListed)]...)
	if more := len(begun) - mostListed; more > 0 {
		listed = append(listed, view.Plural(more, "other"))
	}
	return "", fault.At(fault.ContextNotFound, fault.NoOffset, name, view.Plural(len(begun), "context")+" begin with "+
		screen.Quote(name)+": "+strings.Join(listed, ", "), "write more of the name")
}

const (
	mostListed = 5 // names that an error lists
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

// meant says which context a part of its name was taken for.
func (a *App) meant(name string) string {
	a.Subject = screen.Quote(name)
	if !a.JSON {
		a.Warnf("this is about %s", view.Visible(name))
	}
	return name
}
