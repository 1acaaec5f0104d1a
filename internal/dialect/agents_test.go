package dialect

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/answer"
	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/providertest"
)

// All requests that real agents sent in one run, whichever conversation they are
// of: the stand-in counts what was expected of each.
func TestRealAgentsReadWhatIsExpected(t *testing.T) {
	for _, path := range sentByAgents(t) {
		p := providertest.New()
		now := time.Unix(3600, 0)
		p.Clock(func() time.Time { return now })
		caches := map[*Dialect]*Cache{}
		file, err := os.Open(path)
		must(t, err)
		scan := bufio.NewScanner(file)
		scan.Buffer(nil, 4<<20)
		calls, known := 0, 0
		for scan.Scan() {
			var sent struct {
				URL     string
				Headers map[string]string
				Body    json.RawMessage
			}
			must(t, json.Unmarshal(scan.Bytes(), &sent))
			req := httptest.NewRequest(http.MethodPost, sent.URL, bytes.NewReader(sent.Body))
			for name, value := range sent.Headers {
				req.Header.Set(name, value)
			}
			req.Header.Set("X-Api-Key", "key")
			req.Header.Set("Authorization", "Bearer key")
			now = now.Add(time.Second)
			name := api.Of(http.MethodPost, req.URL.Path)
			d := Of(name)
			if caches[d] == nil {
				caches[d] = d.NewCache()
			}
			f := caches[d].Call(read(t, d, name, string(sent.Body)), now)
			resp := httptest.NewRecorder()
			p.ServeHTTP(resp, req)
			said := answer.New(name, resp.Code, resp.Header())
			_, _ = said.Write(resp.Body.Bytes()) // it takes everything
			a := said.Close(nil)
			if a.Failure != "" {
				t.Fatalf("%s: %s", path, a.Failure)
			}
			u := Usage{In: a.Usage.In, Read: a.Usage.Cached, Written: a.Usage.Written}
			if got := caches[d].Answered(u); got != Agrees {
				t.Errorf("%s, call %d: %s: %+v, read %d", filepath.Base(path), calls+1, got, f, *u.Read)
			}
			if calls++; f.Tokens != nil {
				known++
			}
		}
		must(t, scan.Err())
		must(t, file.Close())
		if calls < 2 || known == 0 && calls > 2 {
			t.Errorf("%s: %d calls, of %d the tokens were known", filepath.Base(path), calls, known)
		}
	}
}

// sentByAgents returns the files with what real agents sent. Without them the
// test is left out or, where PACT_REQUIRE_SHARED is 1, fails.
func sentByAgents(t *testing.T) []string {
	t.Helper()
	dir, err := os.Getwd()
	must(t, err)
	places := []string{filepath.Join(os.Getenv("PACT_SHARED"), "data"), os.Getenv("PACT_SHARED")}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		places = append(places, filepath.Join(filepath.Dir(dir), "shared", "data"))
	}
	for _, place := range places {
		if paths, _ := filepath.Glob(filepath.Join(place, "agents", "wire", "*.jsonl")); len(paths) > 0 {
			return paths
		}
	}
	if os.Getenv("PACT_REQUIRE_SHARED") == "1" {
		t.Fatal("the requests of real agents are required and were not found")
	}
	t.Skip("the requests of real agents are not here: the test on them was left out")
	return nil
}
