package proxy_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/proxy"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store/sqlite"
)

// smallDisk mounts a file system of 1 MiB, for as long as the test runs.
func smallDisk(t *testing.T) string {
	t.Helper()
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("left out: a file system cannot be mounted here: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	return disk
}

// fillDisk takes all room of a disk, and returns the file that has it.
func fillDisk(t *testing.T, disk string) string {
	t.Helper()
	f, err := os.Create(filepath.Join(disk, "fill"))
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// say sends the nth question of a conversation of its own and returns the status of the answer.
func say(t *testing.T, address string, n int) int {
	t.Helper()
	body := fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"question %d %s"}]}`, n,
		strings.Repeat("words ", 200))
	req := question(address, body)
	req.Header.Set("Authorization", "Bearer sk-0123456789")
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	defer resp.Body.Close()
	return resp.StatusCode
}

// The disk fills up while the proxy records: every call goes on and the recorder counts what it lost. When there is
// room again, it records again, and the calls that it recorded before are all there.
func TestAFullDiskStopsNoCall(t *testing.T) {
	disk := smallDisk(t)
	provider := providertest.New()
	upstream := httptest.NewServer(provider)
	defer upstream.Close()
	to, err := url.Parse(upstream.URL)
	must(t, err)
	s, err := dbtest.Open(sqlite.Open(t.Context(), filepath.Join(disk, "pact.db")))
	must(t, err)
	defer s.Close()
	rec := record.New(s, record.Options{Context: "chat"})
	server := httptest.NewServer(proxy.New(proxy.Options{Upstreams: map[string]*url.URL{"": to}, Recorder: rec}))
	defer server.Close()
	const before, during, after = 3, 200, 4
	sent := 0
	calls := func(n int) {
		for range n {
			if status := say(t, server.URL, sent); status != http.StatusOK {
				t.Fatalf("call %d got %d", sent, status)
			}
			sent++
		}
	}
	calls(before)
	rec.Close() // all before is recorded
	fill := fillDisk(t, disk)
	full := record.New(s, record.Options{Context: "full"})
	server.Config.Handler = proxy.New(proxy.Options{Upstreams: map[string]*url.URL{"": to}, Recorder: full})
	calls(during)
	full.Close()
	lost := full.Stats()
	if lost.Lost == 0 || lost.Calls+lost.Lost < during || !errors.Is(lost.LastError, fault.Store) ||
		!strings.Contains(lost.LastError.Error(), "disk") {
		t.Errorf("on a full disk: %+v", lost)
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	again := record.New(s, record.Options{Context: "again"})
	server.Config.Handler = proxy.New(proxy.Options{Upstreams: map[string]*url.URL{"": to}, Recorder: again})
	calls(after)
	again.Close()
	if got := again.Stats(); got.Calls != after || got.Lost != 0 {
		t.Errorf("with room again: %+v, %v", got, got.LastError)
	}
	for _, name := range slices.Concat(rec.Contexts(), again.Contexts()) {
		c, err := pact.Open(t.Context(), s, name, nil)
		must(t, err)
		body, err := record.Request(t.Context(), c, 1, 0)
		if err != nil || !slices.ContainsFunc(provider.Received(), func(r providertest.Received) bool {
			return string(r.Body) == string(body.Bytes)
		}) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(rec.Contexts()) + len(again.Contexts()); n != before+after {
		t.Errorf("%d contexts", n)
	}
}

// With Strict a call fails that cannot be recorded, and the provider does not get it.
func TestAFullDiskStopsStrictCalls(t *testing.T) {
	disk := smallDisk(t)
	provider := providertest.New()
	upstream := httptest.NewServer(provider)
	defer upstream.Close()
	to, err := url.Parse(upstream.URL)
	must(t, err)
	s, err := dbtest.Open(sqlite.Open(t.Context(), filepath.Join(disk, "pact.db")))
	must(t, err)
	defer s.Close()
	rec := record.New(s, record.Options{Context: "chat", Strict: true})
	defer rec.Close()
	server := httptest.NewServer(proxy.New(proxy.Options{Upstreams: map[string]*url.URL{"": to}, Recorder: rec}))
	defer server.Close()
	if status := say(t, server.URL, 0); status != http.StatusOK {
		t.Fatalf("with room: %d", status)
	}
	fill := fillDisk(t, disk)
	refused := 0
	for n := 1; n < 200 && refused == 0; n++ { // the log file of the store may still have room
		received := len(provider.Received())
		if status := say(t, server.URL, n); status != http.StatusOK {
			refused++
			if status != http.StatusBadGateway || len(provider.Received()) != received {
				t.Errorf("the call got %d", status)
			}
		}
	}
	if refused == 0 {
		t.Error("no call failed")
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	if status := say(t, server.URL, 300); status != http.StatusOK {
		t.Errorf("with room again: %d", status)
	}
}
