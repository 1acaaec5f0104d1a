package listen

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/record/proxy"
	"github.com/contexttree/pact/internal/safefile"
	"github.com/contexttree/pact/server"
	"github.com/spf13/cobra"
)

func serveCommand(a *command.App) *cobra.Command {
	cmd := a.Command("serve")
	where := servingFlags(cmd)
	logs := cmd.Flags().Bool("log", false, "write one line for each request to standard error, without names or contents")
	untilEOF := cmd.Flags().Bool("until-eof", false, "end once standard input ends, as Ctrl-C ends it")
	cmd.RunE = a.Does(func(ctx context.Context, _ *cobra.Command, _ []string) error {
		if err := where.check(); err != nil {
			return err
		}
		if *untilEOF {
			ctx = untilEnd(ctx, a.In)
		}
		return serve(ctx, a, where, *logs)
	})
	return cmd
}

// untilEnd returns a context that ends with an input. A system closes the input of a program
// whose parent is gone, however it went.
func untilEnd(ctx context.Context, input io.Reader) context.Context {
	ctx, end := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, input) // an input that cannot be read has ended too
		end()
	}()
	return ctx
}

// serve serves the store until ctx ends.
func serve(ctx context.Context, a *command.App, where *serving, logs bool) (err error) {
	s, err := a.OpenStore(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	o, err := where.options(ctx, s)
	if err != nil {
		return err
	}
	o.Actor, o.Counter = a.Getenv("USER", ""), command.CounterNamed
	if logs {
		o.Log = slog.New(slog.NewTextHandler(a.Err, nil))
	}
	listener, err := where.listen()
	if err != nil {
		return err
	}
	if a.Getenv("GOMEMLIMIT", "") == "" { // then the process collects garbage sooner as it comes near to that
		debug.SetMemoryLimit(o.Memory + o.Memory/2 + 64<<20)
	}
	return command.ServeOn(ctx, listener, server.New(s, o), func(token string) error {
		return a.PrintAddress(where.scheme()+listener.Addr().String()+"/", token)
	})
}

// serving says where and for whom pact serve listens.
type serving struct {
	address     string
	cert, key   string // files with the certificate and its key, "" for plain HTTP
	behindProxy bool   // a proxy on the way speaks TLS
	hosts       []string
	origins     []string
	noToken     bool
	memory      int64 // in MiB
}

func servingFlags(cmd *cobra.Command) *serving {
	o, flags := &serving{}, cmd.Flags()
	flags.StringVar(&o.address, "addr", "127.0.0.1:7741", "listen on this `ADDRESS`; port 0 picks a free one")
	flags.StringVar(&o.cert, "tls-cert", "", "speak TLS with the certificate in this `FILE`, read again when it changes")
	flags.StringVar(&o.key, "tls-key", "", "the `FILE` with the key of --tls-cert")
	flags.BoolVar(&o.behindProxy, "behind-proxy", false,
		"a proxy before this server speaks TLS and passes the header Host on")
	flags.StringArrayVar(&o.hosts, "host", nil,
		"answer requests to this `NAME`, of any port unless one is given; repeatable")
	flags.StringArrayVar(&o.origins, "origin", nil,
		"let pages of this `ORIGIN`, such as https://example.org, use the API with a token; repeatable")
	flags.BoolVar(&o.noToken, "no-token", false, "serve every program that can connect; on loopback only")
	flags.Int64Var(&o.memory, "memory", server.MaxMemory>>20,
		"let all requests together hold `MIB` of memory; the process takes about twice as much")
	return o
}

// public reports whether other machines reach the server.
func (o *serving) public() bool {
	host, _, _ := net.SplitHostPort(o.address)
	ip := net.ParseIP(host)
	return o.behindProxy || host != "localhost" && (ip == nil || !ip.IsLoopback())
}

// check refuses flags that do not fit together, and those that would let strangers in.
func (o *serving) check() error {
	refused := func(token, message, remedy string) error {
		return fault.At(fault.Usage, fault.NoOffset, token, message, remedy)
	}
	if _, _, err := net.SplitHostPort(o.address); err != nil {
		return refused(o.address, "this is no address to listen on", "give a host and a port, such as 127.0.0.1:7741")
	}
	for _, origin := range o.origins {
		scheme, host, ok := strings.Cut(origin, "://")
		if !ok || scheme != "http" && scheme != "https" || host == "" || strings.ContainsAny(host, "/*?#") {
			return refused(origin, "this is no origin", "write it as a browser does, such as https://example.org")
		}
	}
	if o.memory < 16 || o.memory > 1<<20 {
		return refused(strconv.FormatInt(o.memory, 10), "--memory is not between 16 MiB and 1 TiB", "give it in MiB, such as 256")
	}
	switch {
	case (o.cert == "") != (o.key == ""):
		return refused("", "TLS needs a certificate and its key", "give both --tls-cert and --tls-key")
	case o.cert != "" && o.behindProxy:
		return refused("", "either this server speaks TLS or the proxy before it does",
			"leave out --behind-proxy, or --tls-cert and --tls-key")
	case !o.public():
		return nil
	case o.noToken:
		return refused("", "a server that other machines reach needs tokens", "leave out --no-token")
	case o.cert == "" && !o.behindProxy:
		return refused(o.address, "other machines reach this address, and would send their tokens in the clear",
			"give --tls-cert and --tls-key, or --behind-proxy if a proxy speaks TLS, or listen on 127.0.0.1")
	case len(o.hosts) == 0:
		return refused(o.address, "other machines reach this address, and the server does not know by which name",
			"give each name with --host, such as --host pact.example.org")
	}
	return nil
}

// options returns the options of the handler. A server that other machines reach needs a
// named token in the store.
func (o *serving) options(ctx context.Context, s *pact.DB) (server.Options, error) {
	made := server.Options{NoToken: o.noToken, OnlyNamed: o.public(), Hosts: o.hosts, Origins: o.origins,
		Memory: o.memory << 20}
	if !o.public() {
		return made, nil
	}
	list, err := server.Tokens(ctx, s)
	if err == nil && len(list) == 0 {
		err = fault.New(fault.Usage, "other machines reach this server, and it has no named tokens",
			"make one: pact token add NAME --read, or --write")
	}
	return made, err
}

// listen listens on the address.
func (o *serving) listen() (net.Listener, error) {
	listener, err := proxy.ListenOn(o.address)
	if err != nil || o.cert == "" {
		return listener, err
	}
	secured, err := listenTLS(listener, o.cert, o.key)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return secured, nil
}

func (o *serving) scheme() string {
	if o.cert != "" {
		return "https://"
	}
	return "http://"
}

// certificates gives out a certificate that is kept in two files, and reads them again when
// they change. Files that do not belong together, as while they are replaced, leave the
// certificate that was good before.
type certificates struct {
	cert, key string
	mu        sync.Mutex
	now       *tls.Certificate
	stamps    [2]stamp
	looked    time.Time
}

// stamp tells that a file changed.
type stamp struct {
	size int64
	at   time.Time
}

// certAge is how long a certificate is given out before its files are looked at again.
const certAge = time.Second

// listenTLS returns a listener whose connections speak TLS 1.2 or later.
func listenTLS(inner net.Listener, cert, key string) (net.Listener, error) {
	c := &certificates{cert: cert, key: key}
	if err := c.read(); fault.CodeOf(err) != "" {
		return nil, err
	} else if err != nil {
		return nil, fault.Wrap(fault.DocumentInvalid, err, "the certificate and the key cannot be read",
			"give files in PEM that belong together")
	}
	return tls.NewListener(inner, &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current(), nil }}), nil
}

func (c *certificates) current() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.looked) >= certAge {
		c.looked = time.Now()
		if stamps, err := c.stampsNow(); err == nil && stamps != c.stamps {
			_ = c.read() // the certificate from before stays; the next connection tries again
		}
	}
	return c.now
}

func (c *certificates) read() error {
	stamps, err := c.stampsNow()
	if err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return err
	}
	c.now, c.stamps = &pair, stamps
	return nil
}

func (c *certificates) stampsNow() (s [2]stamp, err error) {
	for i, name := range [...]string{c.cert, c.key} {
		if err := safefile.CheckRegular(name); err != nil {
			return s, err
		}
		info, err := os.Stat(name)
		if err != nil {
			return s, err
		}
		s[i] = stamp{info.Size(), info.ModTime()}
	}
	return s, nil
}
