package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/runfile"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/server"
	"github.com/contexttree/pact/store"
)

// agentRun makes a run of an agent: each call adds an answer, a call of a tool and a result of 2 kB on average, of
// words drawn as a language draws them, so that they compress like texts.
func agentRun(t testing.TB, calls int) *pact.Context {
	t.Helper()
	draw := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 4000)
	for i := range words {
		for range 2 + draw.IntN(9) {
			words[i] += string(rune('a' + draw.IntN(26)))
		}
	}
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[int(draw.ExpFloat64()*400)%len(words)] + " ")
		}
		return b.String()
	}
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "run", nil)
	must(t, err)
	for i := range calls {
		err := c.Edit(t.Context(), func(b *pact.Batch) error {
			if i == 0 {
				b.Add("^sys", pact.Spec{ID: "rules", Role: "system", Kind: "text", Content: text(1000)})
			}
			call := fmt.Sprint("call", i)
			b.Add("^ah", pact.Spec{ID: call, Role: "assistant", Kind: "call", Content: map[string]any{"name": "bash", "arguments": text(12)}})
			b.Add("^ah", pact.Spec{ID: fmt.Sprint("result", i), Role: "tool", Kind: "result", Offset: 1, Refs: []string{call},
				Content: text(50 + draw.IntN(500))})
			return nil
		}, nil)
		if err == nil {
			_, err = c.Commit(t.Context(), nil)
		}
		must(t, err)
	}
	return c
}

// The page of 300 calls has less than 3 MB, so that of each call less than 10 kB beside the inspector, and gives the
// history back.
func TestThePageOfARunIsSmall(t *testing.T) {
	testrun.OneGoroutine(t)
	calls := testrun.Size(t, 60, 300, 300)
	c := agentRun(t, calls)
	var page, history bytes.Buffer
	done := 0
	must(t, server.WritePage(t.Context(), &page, c, server.PageOptions{Counter: counted, Progress: func(n, _ int) { done = n }}))
	t.Logf("%d calls: %d bytes", calls, page.Len())
	if page.Len() > 200_000+calls*9_000 || done != calls {
		t.Errorf("the page of %d calls has %d bytes; %d calls were reported", calls, page.Len(), done)
	}
	must(t, c.Export(t.Context(), &history))
	text, err := intake.Open(&page, intake.MaxText)
	must(t, err)
	back, err := intake.Text(t.Context(), text, intake.MaxText)
	if err != nil || !bytes.Equal(back, history.Bytes()) {
		t.Errorf("the history comes back as %d bytes of %d, %v", len(back), history.Len(), err)
	}
}

// A page is written for a server that counts no tokens, too, and for a context without a call. It has all calls, also where
// the server lists them in several answers.
func TestThePageOfARunWithoutTokensOrCalls(t *testing.T) {
	testrun.OneGoroutine(t)
	empty, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "empty", nil)
	must(t, err)
	for _, c := range []*pact.Context{empty, agentRun(t, 7)} {
		var whole, pieces bytes.Buffer
		if err := server.WritePage(t.Context(), &whole, c, server.PageOptions{}); err != nil || !runfile.IsPage(whole.Bytes()) {
			t.Errorf("%s: %v", c.Info().Name, err)
		}
		most := server.CallsAtOnce(3)
		err := server.WritePage(t.Context(), &pieces, c, server.PageOptions{})
		if server.CallsAtOnce(most); err != nil || !bytes.Equal(pieces.Bytes(), whole.Bytes()) {
			t.Errorf("%s: %d bytes of calls that were listed by threes, all at once %d, %v", c.Info().Name, pieces.Len(), whole.Len(), err)
		}
	}
}

// Ids that became alike stay different ids, and one who gives up gets no page.
func TestAPageWhoseIDsAreRedacted(t *testing.T) {
	testrun.OneGoroutine(t)
	c := agentRun(t, 3)
	var page bytes.Buffer
	o := server.PageOptions{Redact: []*regexp.Regexp{regexp.MustCompile("call[0-9]|result[0-9]")}}
	must(t, server.WritePage(t.Context(), &page, c, o))
	text, err := runfile.Archive(t.Context(), page.Bytes(), 1<<20)
	must(t, err)
	back, _, err := pact.ImportHistory(t.Context(), pact.NewDB(store.NewMemory()), "back", bytes.NewReader(text), nil)
	if err != nil || bytes.Contains(text, []byte("result1")) {
		t.Fatalf("%v\n%s", err, text)
	}
	then, err := c.At(t.Context(), "latest")
	must(t, err)
	now, err := back.At(t.Context(), "latest")
	must(t, err)
	if then.Len() != now.Len() || now.Len() < 8 {
		t.Errorf("%d nodes became %d", then.Len(), now.Len())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := server.WritePage(ctx, &bytes.Buffer{}, c, server.PageOptions{}); err == nil {
		t.Error("it is written all the same")
	}
}

// Each page has one state of its run, while another writer adds and removes blocks.
func TestAPageIsOfOneState(t *testing.T) {
	r := start(t, server.Options{NoToken: true})
	c, err := pact.Create(t.Context(), r.store, "run", nil)
	must(t, err)
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			err := c.Edit(t.Context(), func(b *pact.Batch) error {
				id := func(i int) string { return fmt.Sprint("block", i) }
				if i%8 < 4 {
					for n := range 8 {
						b.Add("^ah", pact.Spec{ID: id(8*i + n), Role: "user", Kind: "text", Content: "a text"})
					}
					return nil
				}
				for n := range 8 {
					b.Remove(id(8*(i-4) + n))
				}
				return nil
			}, nil)
			if err == nil && i%32 == 3 && i < 400 {
				_, err = c.Commit(t.Context(), nil)
				i += 4 // what was committed stays
			}
			if err != nil {
				stopped <- err
				return
			}
		}
	}()
	for range 8 {
		answer, err := http.Get(r.url + "/v1/contexts/run/export?form=page")
		if err != nil {
			t.Error(err)
			break
		}
		page, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || !runfile.IsPage(page) {
			t.Errorf("status %d, %v: %.200s", answer.StatusCode, err, page)
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}
