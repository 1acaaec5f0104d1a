package provider

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

	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/testrun"
)

// All requests that real agents sent in one run, whichever conversation they are
// of: the stand-in counts what was expected of each.
func TestRealAgentsReadWhatIsExpected(t *testing.T) {
	for _, path := range testrun.Shared(t, "data", "agents/wire/*.jsonl") {
		p := providertest.New()
		now := time.Unix(3600, 0)
		p.Clock(func() time.Time { return now })
		caches := map[*CacheRules]*Cache{}
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
			name := APIOf(http.MethodPost, req.URL.Path)
			if found, err := Check(&CheckRequest{API: name, Body: sent.Body}); err != nil || len(found) > 0 {
				t.Errorf("%s, call %d: the rules find %+v, %v", path, calls+1, found, err)
			}
			d := CacheRulesOf(name)
			if caches[d] == nil {
				caches[d] = d.NewCache()
			}
			prompt := read(t, d, name, string(sent.Body))
			f := caches[d].Call(prompt, now)
			resp := httptest.NewRecorder()
			p.ServeHTTP(resp, req)
			said := NewAssembler(name, resp.Code, resp.Header())
			_, _ = said.Write(resp.Body.Bytes()) // it takes everything
			a := said.Close(nil)
			if a.Failure != "" {
				t.Fatalf("%s: %s", path, a.Failure)
			}
			u := a.Usage
			caches[d].Answered(u)
			least, most := int64(0), *u.In // of what it read
			switch short := d.LeastTokens(prompt.Model); {
			case f.Blocks == 0 || *u.In < short || f.Tokens != nil && *f.Tokens < short:
				most = 0
			case f.Tokens != nil && d.Step > 1:
				least, most = max(0, (*f.Tokens/d.Step-1)*d.Step), *f.Tokens
			case f.Tokens != nil:
				if least, most = 1, *f.Tokens; d.Step == 1 {
					least = most
				}
			case d.Marked:
				least = 1
			}
			if *u.Cached < least || *u.Cached > most {
				t.Errorf("%s, call %d: %+v, read %d", filepath.Base(path), calls+1, f, *u.Cached)
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
