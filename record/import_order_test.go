package record_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// importAll imports each session that a log has under its own name, and requires
// that every request that was answered comes back.
func importAll(t *testing.T, data []byte) {
	t.Helper()
	log, err := calllog.Read(data)
	if err != nil {
		return // a log without its first lines may be unknown
	}
	s := pact.NewDB(store.NewMemory())
	for n, session := range log.Sessions {
		i, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: fmt.Sprint("run ", n)})
		must(t, err)
		var answered []string
		for _, p := range past(t, session) {
			_, err := i.Add(t.Context(), p)
			must(t, err)
			if p.Status < 400 { // a failed call may share the cycle of its retry
				answered = append(answered, string(p.Body))
			}
		}
		left := map[string]int{}
		for _, name := range i.Contexts() {
			for _, body := range ownBodies(t, s, name) {
				left[body]++
			}
		}
		for _, body := range answered {
			if left[body]--; left[body] < 0 {
				t.Fatalf("this request does not come back: %s\nof the log:\n%s", body, data)
			}
		}
	}
}

// Whatever the order of the lines of a log is, and whichever of them are lost, its
// calls are recorded as the reader gives them.
func TestLogsInAnyOrder(t *testing.T) {
	testrun.OneGoroutine(t)
	paths, err := filepath.Glob(logs + "/*.jsonl")
	must(t, err)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			must(t, err)
			lines := bytes.SplitAfter(bytes.TrimSpace(data), []byte("\n"))
			lines[len(lines)-1] = append(slices.Clone(lines[len(lines)-1]), '\n')
			slices.Reverse(lines)
			importAll(t, bytes.Join(lines, nil))
			random := rand.New(rand.NewPCG(1, 2))
			for range testrun.Size(t, 10, 100, 10_000) {
				random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
				importAll(t, bytes.Join(lines[random.IntN(2)*random.IntN(len(lines)):], nil))
			}
		})
	}
}

// Branches that take turns in a transcript are recorded as it has them, whatever order its calls are taken in.
func TestBranchesThatTakeTurns(t *testing.T) {
	for _, branches := range []int{1, 2, 3, 5} {
		importAll(t, dbtest.Branches(40, branches))
		importAll(t, dbtest.ChatGPT(40, branches))
	}
}

// Where each question of a conversation was edited, finding out what an edit branches off from opens no context of an
// earlier one, nor reads the contents that both have: twice as many edits ask the store about twice as often. Of the
// contexts none but the last one stays open.
func TestAnEditOfEveryQuestionReadsNoOtherContext(t *testing.T) {
	testrun.OneGoroutine(t)
	record.SetMostOpen(t, 0)
	reads := func(questions int) int64 {
		log, err := calllog.Read(dbtest.Edits(questions))
		must(t, err)
		s := &dbtest.Failing{Store: store.NewMemory()}
		s.From.Store(math.MaxInt64) // it only counts
		names, added := addAll(t, pact.NewDB(s), past(t, log.Sessions[0]))
		if len(names) != questions+1 || added != 2*questions {
			t.Fatalf("%d calls in the contexts %q", added, names)
		}
		return s.Reads()
	}
	if few, many := reads(20), reads(80); many > 5*few {
		t.Errorf("20 edits read %d times, 80 edits %d times", few, many)
	}
}

// A conversation whose first request held no message goes on when a request
// repeats its answer.
func TestAConversationBegunByTheModelGoesOn(t *testing.T) {
	request := func(messages ...string) []byte {
		list := []json.RawMessage{}
		for i, text := range messages {
			role := []string{"assistant", "user"}[i%2]
			list = append(list, json.RawMessage(fmt.Sprintf(`{"role":%q,"content":%q}`, role, text)))
		}
		body, err := json.Marshal(map[string]any{"model": "m", "messages": list})
		must(t, err)
		return body
	}
	answer := []byte(`{"choices":[{"message":{"role":"assistant","content":"Hello!"},"finish_reason":"stop"}]}`)
	names, _ := addAll(t, pact.NewDB(store.NewMemory()), []record.PastCall{
		{API: "openai.chat", Path: "/v1/chat/completions", Body: request(), Status: 200, Answer: answer},
		{API: "openai.chat", Path: "/v1/chat/completions", Body: request("Hello!", "Hi."), Status: 200, Answer: answer},
	})
	if !slices.Equal(names, []string{"run"}) {
		t.Errorf("the contexts are %q", names)
	}
}
