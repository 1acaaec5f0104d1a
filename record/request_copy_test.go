package record_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// asksChat returns a request to a chat completion with a text of some bytes.
func asksChat(n int) string {
	return `{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("w", n) + `"}]}`
}

// A provider that refuses a request over HTTP/2 takes no more of it, and the transport closes the body, which then cannot
// be read. The request is recorded whole nevertheless.
func TestARefusalBeforeTheRequestIsRead(t *testing.T) {
	provider := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	}))
	provider.EnableHTTP2 = true
	provider.StartTLS()
	defer provider.Close()
	path, body := filepath.Join(t.TempDir(), "body"), asksChat(3<<20) // a server that reads nothing takes 1 MiB
	must(t, os.WriteFile(path, []byte(body), 0o600))
	file, err := os.Open(path)
	must(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, provider.URL+"/v1/chat/completions", file)
	must(t, err)
	req.ContentLength = int64(len(body))
	rec := recorder(t, pact.NewDB(store.NewMemory()), record.Options{})
	resp, err := rec.Transport(provider.Client().Transport).RoundTrip(req)
	must(t, err)
	must(t, resp.Body.Close())
	rec.Close()
	if got := rec.Stats(); resp.ProtoMajor != 2 || resp.StatusCode != http.StatusUnauthorized || got.Calls != 1 || got.NotRecorded != 0 {
		t.Errorf("%s %s, %+v", resp.Proto, resp.Status, got)
	}
}

// A client that announces more than it sends before it closes the connection has sent no request, although what came is one.
func TestAnUploadThatBreaksOffIsNotRecorded(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	rec, ended := recorder(t, s, record.Options{}), make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		r.URL.Host = "provider"
		_, err := rec.Middleware(r, func(r *http.Request) (*http.Response, error) {
			_, err := io.ReadAll(r.Body)
			return nil, errors.Join(err, io.ErrClosedPipe)
		})
		ended <- err
	}))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	must(t, err)
	_, err = fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n%s", asksChat(9))
	must(t, errors.Join(err, conn.Close()))
	err = <-ended
	rec.Close()
	list, failed := pact.List(t.Context(), s)
	must(t, failed)
	if got := rec.Stats(); !errors.Is(err, io.ErrUnexpectedEOF) || got.Calls != 0 || got.NotRecorded != 1 || len(list) > 0 {
		t.Errorf("%v, %+v, %d contexts", err, got, len(list))
	}
}

// A request with more bytes than are recorded reaches the provider whole, and counts as lost with the reason, also where it is
// read whole before it is sent. One with as many is recorded.
func TestTooLongARequestPassesWhole(t *testing.T) {
	const most = 20_000
	fits := asksChat(most - len(asksChat(0)))
	for _, strict := range []bool{false, true} {
		for body, lost := range map[string]int{fits: 0, fits + " ": 1, asksChat(10 * most): 1} {
			for name, from := range map[string]io.Reader{"whole": bytes.NewReader([]byte(body)),
				"with its end": iotest.DataErrReader(strings.NewReader(body)), "by bytes": iotest.OneByteReader(strings.NewReader(body))} {
				rec, received := recorder(t, pact.NewDB(store.NewMemory()), record.Options{Strict: strict}), ""
				record.SetMostBody(rec, most)
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://x/v1/chat/completions", from)
				must(t, err)
				req.ContentLength = int64(len(body))
				resp, err := rec.Middleware(req, func(r *http.Request) (*http.Response, error) {
					all, err := io.ReadAll(r.Body)
					received = string(all)
					return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, errors.Join(err, r.Body.Close())
				})
				must(t, err)
				must(t, resp.Body.Close())
				rec.Close()
				got := rec.Stats()
				if received != body || got.Calls != 1-lost || got.NotRecorded != lost || errors.Is(got.LastError, record.ErrTooLong) != (lost > 0) {
					t.Errorf("%d bytes %s, strict %t: received %d, %+v", len(body), name, strict, len(received), got)
				}
			}
		}
	}
}

// A request is recorded once as many bytes have come as it announces, before the provider has the last of them: a recorder that
// is closed while the provider answers knows the call.
func TestARequestIsRecordedBeforeTheProviderHasItsEnd(t *testing.T) {
	body, calls := asksChat(9), 0
	rec := recorder(t, pact.NewDB(store.NewMemory()), record.Options{})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://x/v1/chat/completions", strings.NewReader(body))
	must(t, err)
	resp, err := rec.Middleware(req, func(r *http.Request) (*http.Response, error) {
		_, err := io.ReadFull(r.Body, make([]byte, len(body)))
		record.Drain(rec)
		calls = rec.Stats().Calls
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, errors.Join(err, r.Body.Close())
	})
	must(t, err)
	if must(t, resp.Body.Close()); calls != 1 {
		t.Errorf("%d calls are recorded when the provider has all bytes", calls)
	}
}
