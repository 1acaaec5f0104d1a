package bring

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/opened"
	"github.com/contexttree/pact/server"
	"github.com/contexttree/pact/store/postgres"
	"github.com/spf13/cobra"
)

// exportPage writes a run as a page: the context of the name that was given, or what open would import, of which
// it takes the context that sent most.
func exportPage(ctx context.Context, a *command.App, cmd *cobra.Command, flags *importFlags, args []string, file, redact string) error {
	o := server.PageOptions{Counter: command.CounterNamed, Memory: 2 << 30}
	var err error
	if o.Redact, err = server.RedactionOf(redact); err != nil {
		return err
	}
	c, s, err := runToExport(ctx, a, cmd, flags, args)
	if err != nil {
		return err
	}
	defer s.Close()
	m := a.Meter("collecting")
	defer m.End()
	o.Progress = m.At
	if err := a.ReplaceFile(file, func(w io.Writer) error { return server.WritePage(ctx, w, c, o) }); err != nil {
		return err
	}
	m.End()
	size := command.SizeOf(file)
	if a.JSON {
		return a.PrintJSON(map[string]any{"name": c.Name(), "page": file, "bytes": size})
	}
	a.Printf("%s is in %s, %s. A browser opens it without pact or a network; pact import %s reads it.\n", view.Visible(c.Name()), file,
		view.Size(size), screen.Quote(file))
	return nil
}

// runToExport returns a context and its store, which the caller closes.
func runToExport(ctx context.Context, a *command.App, cmd *cobra.Command, flags *importFlags, args []string) (*pact.Context, *pact.DB, error) {
	if len(args) == 1 {
		if _, err := os.Stat(args[0]); errors.Is(err, fs.ErrNotExist) {
			c, s, err := a.OpenContext(ctx, args[0], "")
			noStore := !postgres.IsAddress(a.DB) && command.StoreExists(a.DB) != nil
			if !noStore && fault.CodeOf(err) != fault.ContextNotFound {
				return c, s, err
			}
		}
	}
	in, _, err := toOpen(ctx, a, flags, args)
	if err != nil {
		return nil, nil, err
	}
	s, err := storeFor(ctx, a, in)
	if err != nil {
		return nil, nil, err
	}
	list, err := importAll(ctx, a, s, in)
	if err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	f := opened.Report{Contexts: make([]opened.Context, len(list))}
	for i, l := range list {
		first, last := l.Context.Cycles()
		for at := first; at <= last; at++ {
			snapshot, err := l.Context.At(ctx, pact.Cycle(at))
			if err != nil {
				return nil, nil, errors.Join(err, s.Close())
			}
			_, bytes := snapshot.ThreadSize()
			f.Contexts[i].ThreadBytes += bytes
		}
	}
	return list[f.Main()].Context, s, nil
}
