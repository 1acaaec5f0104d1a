package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/server"
	"github.com/contexttree/pact/store/postgres"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Run(m)) }

// TestSeveralServersOfOneDatabaseShowOneHistory serves one PostgreSQL with two servers behind a
// balancer that sends every request to the other one than the request before, as
// docs/deploying.md describes it.
func TestSeveralServersOfOneDatabaseShowOneHistory(t *testing.T) {
	address := postgrestest.Database(t)
	var servers [2]*running
	var turn atomic.Int64
	for i := range servers {
		s, err := dbtest.Open(postgres.Open(t.Context(), address))
		must(t, err)
		handler := server.New(s, server.Options{OnlyNamed: true})
		listening := httptest.NewServer(handler)
		servers[i] = &running{Server: handler, t: t, store: s, url: listening.URL}
		t.Cleanup(func() {
			handler.Close()
			listening.Close()
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	balancer := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(p *httputil.ProxyRequest) {
		to, err := url.Parse(servers[turn.Add(1)%2].url)
		if err != nil {
			t.Error(err)
		}
		p.SetURL(to)
		p.Out.Host = p.In.Host
	}})
	t.Cleanup(balancer.Close)
	r := &running{Server: servers[0].Server, t: t, store: servers[0].store, url: balancer.URL}
	anna := r.token("anna", true, "")
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`, anna...)
	live := []*stream{servers[0].followAs(t, "a", "0", anna[1]), servers[1].followAs(t, "a", "0", anna[1])}

	const writers, each = 4, 6
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			for n := range each {
				key := fmt.Sprintf("key-%d-%d", w, n)
				for made := false; !made; { // until no other was faster
					var now struct {
						Last int64 `json:"last_cycle"`
					}
					header := append([]string{"Idempotency-Key", key}, anna...)
					if err := json.Unmarshal(r.call("GET", "/v1/contexts/a", "", anna...).body, &now); err != nil {
						t.Error(err)
						return
					}
					body := fmt.Sprintf(`{"cycle":%d,"edits":[{"op":"add","into":"^ah","node":{"role":"user","content":%q}}]}`,
						now.Last, key)
					got := r.call("POST", "/v1/contexts/a/commits", body, header...)
					if made = got.StatusCode == http.StatusOK; made {
						again := r.call("POST", "/v1/contexts/a/commits", body, header...) // which the other server gets
						var answer struct{ Repeated bool }
						if json.Unmarshal(again.body, &answer) != nil || !answer.Repeated {
							t.Errorf("the repeated commit: %s %s", again.Status, again.body)
						}
					} else if got.StatusCode != http.StatusConflict && got.StatusCode != http.StatusServiceUnavailable {
						t.Errorf("%s %s", got.Status, got.body)
						return
					}
				}
			}
		})
	}
	wait.Wait()
	for _, s := range live {
		s.expect("1 create")
		for n := range writers * each {
			s.expect(fmt.Sprint(n+2, " commit"))
		}
	}
	fastest := time.Hour // the slowest would measure the machine
	for tries := 0; tries < 50 && fastest > time.Second; tries++ {
		var now struct {
			Last     int64 `json:"last_cycle"`
			Revision int64
		}
		servers[0].must(&now, "GET", "/v1/contexts/a", "", anna...)
		servers[0].must(nil, "POST", "/v1/contexts/a/commits", fmt.Sprintf(`{"cycle":%d}`, now.Last), anna...)
		acknowledged := time.Now()
		live[1].expect(fmt.Sprint(now.Revision+1, " commit"))
		fastest = min(fastest, time.Since(acknowledged))
	}
	if fastest > time.Second {
		t.Errorf("the other server tells of a commit after %v", fastest)
	}
	var threads [2]string
	for i, s := range servers {
		threads[i] = string(s.must(nil, "GET", "/v1/contexts/a/thread", "", anna...).body)
	}
	if threads[0] != threads[1] {
		t.Error("the servers show different threads")
	}
	for w := range writers {
		for n := range each {
			if strings.Count(threads[0], fmt.Sprintf(`"key-%d-%d"`, w, n)) != 1 {
				t.Errorf("the commit %d of writer %d is not there once", n, w)
			}
		}
	}
	must(t, server.RevokeToken(t.Context(), servers[0].store, "anna"))
	time.Sleep(1100 * time.Millisecond)
	for _, s := range servers {
		s.call("GET", "/v1/contexts", "", anna...).refused(t, http.StatusUnauthorized, "E_UNAUTHORIZED")
	}
}
