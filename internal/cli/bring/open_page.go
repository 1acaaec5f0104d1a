package bring

import (
	"context"
	"errors"
	"html"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/record/proxy"
	"github.com/contexttree/pact/internal/redact"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/opened"
	"github.com/contexttree/pact/server"
	"github.com/spf13/cobra"
)

// exportPage writes a run as a page: the context of the name that was given, or what open would import, of which
// it takes the context whose own calls sent most.
func exportPage(ctx context.Context, a *command.App, cmd *cobra.Command, flags *importFlags, args []string, file string, what redact.Rules) error {
	o := server.PageOptions{Redact: what.Expressions, RedactSecrets: what.Secrets, Counter: command.CounterNamed, Memory: 2 << 30}
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
	return a.Answer(view.Visible(c.Info().Name)+" is in "+file+", "+view.Size(size)+". A browser opens it without pact or a network; pact import "+
		screen.Quote(file)+" reads it.", map[string]any{"name": c.Info().Name, "page": file, "bytes": size})
}

// runToExport returns a context and its store, which the caller closes.
func runToExport(ctx context.Context, a *command.App, cmd *cobra.Command, flags *importFlags, args []string) (*pact.Context, *pact.DB, error) {
	_, list, s, err := openRun(ctx, a, cmd, flags, args)
	if err != nil {
		return nil, nil, err
	}
	main, err := view.StandingIn(ctx, s, intake.Contexts(list))
	if err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	if len(list) > 1 {
		a.Reportf("pact: the file gives %s; the page has %s, whose own calls sent most. pact open NAME --export writes another.",
			view.Plural(len(list), "context"), view.Visible(list[main].Context.Info().Name))
	}
	return list[main].Context, s, nil
}

// showInBrowser serves the inspector on loopback until ctx ends, prints its address and, if
// that is wanted and there is a desktop, opens it.
func showInBrowser(ctx context.Context, a *command.App, list []opened.Context, open bool) (err error) {
	s, err := a.OpenStore(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	listener, err := proxy.Listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	address := "http://" + listener.Addr().String() + "/"
	if len(list) == 1 {
		address += "c/" + url.PathEscape(list[0].Name)
	}
	handler := server.New(s, server.Options{Actor: a.Getenv("USER", ""), Counter: command.CounterNamed})
	clear := func() error { return nil }
	err = command.ServeOn(ctx, listener, handler, func(token string) error {
		address += "#token=" + token
		a.Printf("\n%s\nCtrl-C ends it.\n", address)
		if open {
			clear = openBrowser(a, address)
		}
		return a.Out.Flush()
	})
	return errors.Join(err, clear())
}

// openBrowser opens an address in the browser of the desktop, if there is one; the address
// is on the screen anyway. It returns what to call at the end.
//
// The address holds a token, and other users of the machine see the arguments of programs.
// So the browser is given a file that leads to the address and that only its owner can read.
func openBrowser(a *command.App, address string) (clear func() error) {
	nothing := func() error { return nil }
	command := desktopOpener(a)
	if command == nil {
		return nothing
	}
	file, err := leadingTo(address)
	if err != nil {
		return nothing
	}
	clear = func() error { return os.Remove(file) }
	cmd := exec.Command(command[0], append(command[1:], file)...)
	cmd.Env = a.Environ()
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }() // how the browser ended is the user's business
	}
	return clear
}

// desktopOpener returns the command that opens a file in the browser of the desktop, nil if
// there is no desktop.
func desktopOpener(a *command.App) []string {
	switch runtime.GOOS {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	if a.Env["DISPLAY"] == "" && a.Env["WAYLAND_DISPLAY"] == "" {
		return nil
	}
	program, err := exec.LookPath("xdg-open")
	if err != nil {
		return nil
	}
	return []string{program}
}

// leadingTo writes a page that leads to an address, where browsers that are confined may
// read and other users may not.
func leadingTo(address string) (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "pact")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "open-*.html") // with mode 0600
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(`<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">` +
		`<meta http-equiv="refresh" content="0;url=` + html.EscapeString(address) + `"><title>PACT</title>`)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}
