package listen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/record/callspans"
	"github.com/contexttree/pact/internal/record/proxy"
	"github.com/contexttree/pact/internal/redact"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"
)

// recording is a proxy that records to the store.
type recording struct {
	store    *pact.DB
	recorder *record.Recorder
	proxy    *proxy.Proxy
	server   *http.Server
	address  string // http://127.0.0.1:PORT
	served   chan error
}

// startRecording starts a proxy that listens on an address.
func startRecording(ctx context.Context, a *command.App, address string, p proxy.Options, o record.Options) (*recording, error) {
	listener, err := proxy.Listen(address)
	if err != nil {
		return nil, err
	}
	s, err := a.RecordingStore(ctx)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	o.Zstd, o.OnEnd = zstdReader, callspans.Record
	p.Recorder = record.New(s, o)
	if o.Policy != nil && !p.Recorder.Stats().Manages {
		a.Warnf("the policy has no rule with head, tail, once or ttl, and no limit: it changes no request")
	}
	r := &recording{store: s, recorder: p.Recorder, proxy: proxy.New(p), address: "http://" + listener.Addr().String(),
		served: make(chan error, 1)}
	r.server = &http.Server{Handler: callspans.Continue(r.proxy), ReadHeaderTimeout: time.Minute}
	go func() { r.served <- r.server.Serve(listener) }()
	return r, nil
}

// zstdReader decompresses Zstandard, with the window size that HTTP allows (RFC
// 9659).
func zstdReader(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(8<<20))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// end gives calls a moment to finish, and waits until the recorder has recorded
// them.
func (r *recording) end() error {
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := r.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = r.server.Close()
	}
	r.recorder.Close()
	return errors.Join(err, r.store.Close())
}

// summary counts what was recorded, and names the commands that show it. code is with what the program ended.
func summary(a *command.App, r *recording, o record.Options, code int) {
	got, names := r.recorder.Stats(), r.recorder.Contexts()
	db := ""
	if a.DB != "pact.db" {
		db = " --db " + screen.Quote(a.Shown())
	}
	a.Reportf("pact: recorded %s in %s", view.Plural(got.Calls, "call"), a.Shown())
	if got.Calls+got.NotRecorded+got.Unread == 0 && r.proxy.Tunneled() == 0 {
		happened := "nothing called this address: the program takes its provider's from somewhere else, or asked for nothing"
		if code != 0 {
			happened = "the program ended with code " + strconv.Itoa(code) + " before anything called this address"
		}
		if asked := r.proxy.Requests(); asked > 0 {
			happened = view.Plural(asked, "request") + " came to this address, but no call of a model"
		}
		a.Reportf("      %s", r.address)
		a.Reportf("      %s", happened)
	}
	if len(names) > 0 {
		const most = 5 // names
		there := map[string]bool{}
		for _, name := range names {
			there[name] = true
		}
		var quoted []string
		aside, more := 0, 0
		for _, name := range names {
			switch {
			case there[record.AsideOf(name)]:
				aside++
			case len(quoted) < most:
				quoted = append(quoted, screen.Quote(name))
			default:
				more++
			}
		}
		list := strings.Join(quoted, ", ")
		if more > 0 {
			list += fmt.Sprintf(" and %d more", more)
		}
		if aside > 0 {
			list += ", and " + view.Plural(aside, "question") + " aside"
		}
		work := screen.Quote(cmp.Or(r.recorder.MainContext(), names[0]))
		a.Reportf("      contexts: %s", list)
		a.Reportf("      see pact log %s%s, pact log %s%s --prefix, pact request %s%s", work, db, work, db, work, db)
	}
	managedSummary(a, got, o.Manage)
	if got.NotRecorded > 0 {
		a.Reportf("      not recorded: %s: %s", view.Plural(got.NotRecorded, "call"), view.Visible(got.LastError.Error()))
	}
	if got.Unread > 0 {
		a.Reportf("      not read: %s", view.Plural(got.Unread, "request"))
	}
	if passed := r.proxy.Tunneled(); passed > 0 {
		a.Reportf("      not recorded: %s, let through by --websocket tunnel", view.Plural(passed, "WebSocket"))
	}
	if got.Redacted > 0 {
		what := "a credential"
		if len(o.Redact) > 0 || o.RedactSecrets {
			what = "a credential, or for what --redact names,"
		}
		a.Reportf("      [redacted] stands for %s in %s, counting each request and answer", what, view.Plural(got.Redacted, "place"))
	}
	if got.KeptRaw > 0 {
		a.Reportf("      kept raw: %s", view.Plural(got.KeptRaw, "body"))
	}
}

// recordFlags are what commands that record have in common.
type recordFlags struct {
	diagnose *bool
	redacted func() (redact.Rules, error)
	managing *manageFlags
}

func newRecordFlags(cmd *cobra.Command) *recordFlags {
	return &recordFlags{
		diagnose: cmd.Flags().Bool("diagnose", false, "ask the provider why it did not read all of its cache: adds a field to requests"),
		redacted: command.RedactFlag(cmd, "do not store"), managing: policyFlags(cmd)}
}

// options returns the options of a recorder.
func (f *recordFlags) options(ctx context.Context, a *command.App, cmd *cobra.Command, name string) (o record.Options, err error) {
	what, err := f.redacted()
	if err != nil {
		return o, err
	}
	o = record.Options{Context: name, Diagnose: *f.diagnose, Redact: what.Expressions, RedactSecrets: what.Secrets}
	return o, f.managing.options(ctx, a, cmd, &o)
}

func proxyCommand(a *command.App) *cobra.Command {
	cmd := a.Command("proxy")
	f := cmd.Flags()
	upstream := f.String("upstream", "", "the base address of the provider, a `URL`")
	address := f.String("addr", "127.0.0.1:0", "listen on this loopback `ADDRESS`; port 0 picks a free one")
	name := f.String("name", "recorded",
		"record to the context `NAME`, and other conversations to NAME-2, NAME-3")
	websocket := f.String("websocket", "refuse", "`WHAT` to do with WebSockets: refuse or tunnel")
	flags := newRecordFlags(cmd)
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, _ []string) error {
		if *upstream == "" {
			return command.Usage(cmd, "a proxy needs --upstream")
		}
		if *websocket != "refuse" && *websocket != "tunnel" {
			return command.Usage(cmd, "--websocket is refuse or tunnel")
		}
		to, err := proxy.ParseUpstream(*upstream)
		if err != nil {
			return command.BadValue("upstream", err)
		}
		o, err := flags.options(ctx, a, cmd, *name)
		if err != nil {
			return err
		}
		r, err := startRecording(ctx, a, *address,
			proxy.Options{Upstreams: map[string]*url.URL{"": to}, Tunnel: *websocket == "tunnel"}, o)
		if err != nil {
			return err
		}
		a.Printf("%s\n", r.address)
		if err := a.Out.Flush(); err != nil {
			return errors.Join(err, r.end())
		}
		select {
		case <-ctx.Done():
		case err = <-r.served:
		}
		if err := errors.Join(err, r.end()); err != nil {
			return err
		}
		summary(a, r, o, 0)
		return nil
	})
	return cmd
}
