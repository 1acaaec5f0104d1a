// Package proxy is a reverse proxy on loopback that forwards the calls of
// programs to providers and records them with package record.
package proxy

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/origin"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
)

// Options says where a proxy forwards requests.
type Options struct {
	// Upstreams holds the base addresses of providers by the first segment of
	// the request path: openai for /openai/v1/responses. What follows is appended
	// as it is. The upstream named "" takes all other paths, with a version in
	// the path, in the address, or in both.
	Upstreams map[string]*url.URL
	Recorder  *record.Recorder
	// Tunnel lets WebSockets through unrecorded. By default the proxy refuses
	// them, and clients fall back to HTTP.
	Tunnel bool
	// Refuse says why a request with these headers is not passed on, "" if it is; nil for all that are.
	Refuse func(http.Header) string
	// Transport sends the requests to the providers; nil for one like
	// [http.DefaultTransport].
	Transport http.RoundTripper
}

// ParseUpstream reads the base address of a provider. E_DOCUMENT_INVALID if it
// is not an http or https address.
func ParseUpstream(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" {
		return nil, fault.At(fault.DocumentInvalid, fault.NoOffset, shown(text, u), "this is not the address of a provider",
			"give one such as https://api.openai.com/v1")
	}
	return u, nil
}

// shown returns an address without what may be a password: u is what was parsed of it, nil if it is no URL.
func shown(text string, u *url.URL) string {
	switch {
	case u == nil || u.Opaque != "":
		scheme, _, _ := strings.Cut(text, ":")
		return scheme + ":…"
	case u.RawQuery != "":
		u.RawQuery = "…"
	}
	return u.Redacted()
}

// Listen listens on a loopback address. E_DOCUMENT_INVALID for an address that
// other machines can reach, because the proxy does not authenticate its
// callers.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil || !loopback(host) {
		return nil, fault.At(fault.DocumentInvalid, fault.NoOffset, address, "the proxy listens on loopback only",
			"give an address such as 127.0.0.1:8080, or 127.0.0.1:0 for a free port")
	}
	return ListenOn(address)
}

// ListenOn listens on an address. E_BUSY if another program does.
func ListenOn(address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		code := fault.Store
		if errors.Is(err, syscall.EADDRINUSE) {
			code = fault.Busy
		}
		return nil, fault.Wrap(code, err, "pact cannot listen on "+address, "give another address, or one with port 0")
	}
	return listener, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// New returns the handler of a proxy.
func New(o Options) *Proxy {
	transport := o.Transport
	if transport == nil {
		plain := http.DefaultTransport.(*http.Transport).Clone()
		plain.DisableCompression = true // the proxy must not ask for compression on its own
		plain.MaxIdleConnsPerHost = 64
		transport = plain
	}
	p := &Proxy{options: o}
	p.reverse = httputil.ReverseProxy{
		Rewrite:       p.rewrite,
		FlushInterval: -1, // pass each piece of a stream on at once
		Transport:     o.Recorder.Transport(withoutGroup{transport}),
		ErrorHandler:  upstreamFailed,
		ErrorLog:      log.New(io.Discard, "", 0), // the client gets the error instead
	}
	return p
}

// Proxy is a handler that forwards requests and records them.
type Proxy struct {
	options  Options
	reverse  httputil.ReverseProxy
	tunneled atomic.Int64
	requests atomic.Int64
	calls    atomic.Int64
}

// Requests returns how many requests arrived, of all kinds.
func (p *Proxy) Requests() int { return int(p.requests.Load()) }

// Calls returns how many of them were calls of a model by HTTP.
func (p *Proxy) Calls() int { return int(p.calls.Load()) }

// Tunneled returns how many WebSockets were let through unrecorded.
func (p *Proxy) Tunneled() int { return int(p.tunneled.Load()) }

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.requests.Add(1)
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	upgrade := strings.Contains(strings.ToLower(r.Header.Get("Connection")), "upgrade")
	_, rest, found := p.upstream(r.URL.Path)
	why := ""
	if p.options.Refuse != nil {
		why = p.options.Refuse(r.Header)
	}
	switch {
	case !loopback(strings.Trim(host, "[]")):
		// A browser page can resolve its own host name to this address.
		refuse(w, http.StatusForbidden, "the Host of the request is not a loopback address")
	case origin.Foreign(r):
		refuse(w, http.StatusForbidden, "a page in a browser sent the request, and pact records programs")
	case why != "":
		refuse(w, http.StatusForbidden, why)
	case upgrade && !p.options.Tunnel:
		refuse(w, http.StatusUpgradeRequired, "WebSockets are refused so that calls can be recorded: use HTTP")
	case !found:
		refuse(w, http.StatusNotFound, "no provider is known for this path")
	default:
		if upgrade {
			p.tunneled.Add(1)
		} else if provider.APIOf(r.Method, rest) != "" {
			p.calls.Add(1)
		}
		p.reverse.ServeHTTP(w, r)
	}
}

// upstream returns the provider for a path, and the rest of the path.
func (p *Proxy) upstream(path string) (to *url.URL, rest string, ok bool) {
	first, after, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if to, ok = p.options.Upstreams[first]; ok && first != "" {
		return to, "/" + after, true
	}
	to, ok = p.options.Upstreams[""]
	return to, path, ok
}

func (p *Proxy) rewrite(r *httputil.ProxyRequest) {
	to, rest, _ := p.upstream(r.In.URL.Path)
	_, escaped, _ := p.upstream(r.In.URL.EscapedPath())
	r.Out.URL.Path, r.Out.URL.RawPath = rest, escaped
	base := *to
	if to == p.options.Upstreams[""] {
		base.Path, base.RawPath = basePath(base.Path, rest), ""
	}
	r.SetURL(&base)
	if accepted := r.Out.Header.Get("Accept-Encoding"); strings.Contains(accepted, "gzip") {
		r.Out.Header.Set("Accept-Encoding", "gzip") // the recorder can read gzip
	} else {
		r.Out.Header.Set("Accept-Encoding", "identity")
	}
}

// basePath returns the path of the base address, without a version that the path of the request repeats. If
// neither has a version and the address is a host alone, it is /v1.
func basePath(base, path string) string {
	base = strings.TrimSuffix(base, "/")
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch {
	case version(first) && strings.HasSuffix(base, "/"+first):
		return strings.TrimSuffix(base, "/"+first)
	case base == "" && !version(first) && slices.Contains(
		[]provider.API{provider.Chat, provider.Responses, provider.Messages}, provider.APIOf(http.MethodPost, path)):
		return "/v1"
	}
	return base
}

// version reports whether a path segment is a version such as v1 or v1beta.
func version(segment string) bool {
	return len(segment) > 1 && segment[0] == 'v' && '0' <= segment[1] && segment[1] <= '9'
}

// withoutGroup removes the header that only the recorder needs.
type withoutGroup struct{ base http.RoundTripper }

func (t withoutGroup) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("X-Pact-Context") != "" {
		r = r.Clone(r.Context())
		r.Header.Del("X-Pact-Context")
	}
	return t.base.RoundTrip(r)
}

func upstreamFailed(w http.ResponseWriter, _ *http.Request, err error) {
	refuse(w, http.StatusBadGateway, "the provider cannot be reached: "+err.Error())
}

// refuse answers in the form of the providers' errors, because clients show
// those to their users.
func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]any{
		"type": "pact_proxy_error", "message": "the proxy: " + why}})
}
