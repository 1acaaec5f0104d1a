package record_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// follows compares a follower that looks now and then with a fresh look.
type follows struct {
	*testing.T
	store  *pact.DB
	random *rand.Rand
	f      *record.Follower
	looked int
	final  int64 // reports that were final
}

func (w *follows) look() {
	w.Helper()
	c, err := pact.Open(w.Context(), w.store, "chat", nil)
	if err != nil {
		return // nothing is recorded yet
	}
	if w.random.IntN(4) == 0 {
		before := w.f.Next()
		_, err := w.f.Clone().Prefixes(w.Context(), c) // leaves the follower as it was
		must(w.T, err)
		if w.f.Next() != before {
			w.Errorf("a copy took its original from cycle %d to %d", before, w.f.Next())
		}
	}
	final := w.f.Next()
	got, err := w.f.Prefixes(w.Context(), c)
	must(w.T, err)
	want := []inspect.CallPrefix{}
	for p, err := range prefixesOf(w.Context(), c, "", nil) {
		must(w.T, err)
		want = append(want, p)
	}
	a, err := json.Marshal(append([]inspect.CallPrefix{}, got...))
	must(w.T, err)
	b, err := json.Marshal(want)
	must(w.T, err)
	if string(a) != string(b) {
		w.Fatalf("the follower says\n%s\nwant\n%s", a, b)
	}
	if first, last := c.Info().First, c.Info().Cycle; w.f.Next() < final || w.f.Next() > max(first, last) {
		w.Errorf("after cycle %d the reports before %d are final, before it was %d", last, w.f.Next(), final)
	}
	w.looked++
	w.final += w.f.Next() - 1
}

// TestFollowersAgreeWithAFreshLook records calls that grow, are cut, fail and change their
// model, and looks before, between and during them.
func TestFollowersAgreeWithAFreshLook(t *testing.T) {
	looks, final := 0, int64(0)
	for seed := range testrun.Size[uint64](t, 4, 12, 200) {
		random := rand.New(rand.NewPCG(seed, 29))
		w := &follows{T: t, store: pact.NewDB(store.NewMemory()), random: random, f: new(record.Follower)}
		provider := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if random.IntN(2) == 0 {
				w.look() // while the call is running
			}
			if random.IntN(6) == 0 {
				rw.WriteHeader(http.StatusTooManyRequests)
				return
			}
			_, _ = fmt.Fprintf(rw, `{"id":"a%d","role":"assistant","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn",`+
				`"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":1}}`, random.IntN(1000),
				random.IntN(100), random.IntN(2)*2000)
		}))
		rec := record.New(w.store, record.Options{Context: "chat", Strict: true})
		client := &http.Client{Transport: rec.Transport(nil)}
		system := "Be brief."
		var messages []string
		for call := range 14 {
			if random.IntN(5) == 0 {
				system = fmt.Sprint("Be brief. ", call)
			}
			if len(messages) > 0 && random.IntN(6) == 0 {
				messages[random.IntN(len(messages))] = `{"role":"user","content":"[shortened]"}`
			}
			text := strings.Repeat(fmt.Sprintf("line of call %d ", call), 100)
			messages = append(messages, fmt.Sprintf(
				`{"role":"user","content":[{"type":"text","text":%q,"cache_control":{"type":"ephemeral"}}]}`, text))
			body := fmt.Sprintf(`{"model":"claude-sonnet-4-%d","max_tokens":100,"system":%q,"messages":[%s]}`,
				5+random.IntN(8)/7, system, strings.Join(messages, ","))
			resp := wholeOf(t)(client.Post(provider.URL+"/v1/messages", "application/json", strings.NewReader(body)))
			if resp.StatusCode == http.StatusOK {
				messages = append(messages, `{"role":"assistant","content":[{"type":"text","text":"ok"}]}`)
			}
			if random.IntN(2) == 0 {
				w.look()
			}
		}
		rec.Close()
		provider.Close()
		w.look()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		looks, final = looks+w.looked, final+w.final
	}
	if final < 2*int64(looks) {
		t.Errorf("%d looks found %d final reports", looks, final)
	}
}
