package wire

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/record/proxy"
	"github.com/contexttree/pact/server"

	"github.com/spf13/cobra"
)

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
	list, err := s.Tokens(ctx)
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
