package proxy_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/proxy"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// echo is a provider that speaks another protocol after an upgrade: it sends back
// each line.
func echo(t *testing.T) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		conn, both, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = both.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		_ = both.Flush()
		_, _ = io.Copy(conn, both)
	}))
	t.Cleanup(server.Close)
	return server
}

// An upgrade is refused, so that a client falls back to HTTP, or passed on in both
// directions and recorded in neither.
func TestWebSocketsAreRefusedOrTunneled(t *testing.T) {
	to, err := url.Parse(echo(t).URL)
	must(t, err)
	for _, tunnel := range []bool{false, true} {
		rec := record.New(pact.NewDB(store.NewMemory()), record.Options{})
		handler := proxy.New(proxy.Options{Upstreams: map[string]*url.URL{"": to}, Recorder: rec, Tunnel: tunnel})
		server := httptest.NewServer(handler)
		defer server.Close()
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		must(t, err)
		defer conn.Close()
		_, err = io.WriteString(conn, "GET /v1/responses HTTP/1.1\r\nHost: "+server.Listener.Addr().String()+
			"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAuthorization: Bearer sk-0123456789\r\n\r\n")
		must(t, err)
		read := bufio.NewReader(conn)
		resp, err := http.ReadResponse(read, nil)
		must(t, err)
		want := http.StatusUpgradeRequired
		if tunnel {
			want = http.StatusSwitchingProtocols
		}
		if resp.StatusCode != want {
			t.Fatalf("tunnel %t: %s", tunnel, resp.Status)
		}
		if tunnel {
			for _, line := range []string{"response.create\n", "and more\n"} {
				_, err = io.WriteString(conn, line)
				must(t, err)
				if got, err := read.ReadString('\n'); err != nil || got != line {
					t.Errorf("%q came back as %q, %v", line, got, err)
				}
			}
		}
		must(t, conn.Close())
		rec.Close()
		if got := rec.Stats(); got.Calls != 0 || got.NotRecorded != 0 || got.Unread != 0 {
			t.Errorf("%+v", got)
		}
		if passed := handler.Tunneled(); tunnel != (passed == 1) {
			t.Errorf("tunnel %t: %d WebSockets passed", tunnel, passed)
		}
	}
}
