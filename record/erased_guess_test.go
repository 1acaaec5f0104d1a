package record_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
)

// An attacker who has the file and knows how it is made guesses an erased identifier: he hashes each word of his
// dictionary as every version of the recorder did or does, and looks for the first half of the digest, as bytes or
// in hexadecimal. Before the erasure he would find the parameters; afterwards he finds nothing.
func TestAttackErasedIdentifiersCannotBeGuessed(t *testing.T) {
	testrun.Door(t, "an erased identifier, guessed from hashes")
	const name = "jane.doe@example.com"
	for where, send := range map[string]func(body map[string]any, h http.Header){
		"prompt_cache_key": func(body map[string]any, _ http.Header) { body["prompt_cache_key"] = name },
		"user_id":          func(body map[string]any, _ http.Header) { body["metadata"] = map[string]any{"user_id": name} },
		"X-Pact-Context":   func(body map[string]any, h http.Header) { h.Set("X-Pact-Context", name); body["user"] = name },
	} {
		t.Run(where, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pact.db")
			s, err := dbtest.Open(sqlite.Open(t.Context(), path))
			must(t, err)
			_, url := startProvider(t, providertest.Turn{Text: "hello"}, providertest.Turn{Text: "again"})
			body := map[string]any{"model": "m", "messages": []any{message("user", "hi")}}
			ask := func(o record.Options) {
				rec := recorder(t, s, o)
				req, err := http.NewRequest(http.MethodPost, url+"/v1/chat/completions", nil)
				must(t, err)
				send(body, req.Header)
				text, err := json.Marshal(body)
				must(t, err)
				req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
				wholeOf(t)((&http.Client{Transport: rec.Transport(nil)}).Do(req))
				rec.Close()
			}
			ask(record.Options{Context: "chat"})
			body["messages"] = []any{message("user", "hi"), message("assistant", "hello"), message("user", "on")}
			ask(record.Options{Context: "chat"})
			infos, err := pact.List(t.Context(), s)
			must(t, err)
			if len(infos) != 1 {
				t.Fatalf("another recorder does not know whose calls these are: %v", infos)
			}
			delete(body, "messages")
			delete(body, "model")
			guesses := func() (found []string) {
				everything := strings.Join(valuesOf(t, path), "\x00")
				parameters, err := canon.Encode(map[string]any{"headers": map[string]any{}, "parameters": body})
				must(t, err)
				for what, text := range map[string]string{"the parameters": string(parameters), "the name": name,
					"the field": where + "\x00" + name, "the user": "metadata.user_id\x00" + name,
					"in JSON": string(canon.String(name))} {
					sum := sha256.Sum256([]byte(text))
					if strings.Contains(everything, string(sum[:16])) || strings.Contains(everything, hex.EncodeToString(sum[:16])) {
						found = append(found, what)
					}
				}
				return found
			}
			t.Log("before the erasure", guesses())
			done, err := record.Erase(t.Context(), s, opened(t, s, "chat"), pact.Erasure{Texts: []string{name}, Reason: "asked to",
				Random: rand.Reader})
			must(t, err)
			if len(done.Contexts) != 1 {
				t.Fatalf("it erased nothing: %+v", done)
			}
			if found := guesses(); len(found) > 0 {
				t.Errorf("%v can be guessed", found)
			}
			must(t, s.Close())
		})
	}
}

// valuesOf returns all values of the tables of a file.
func valuesOf(t *testing.T, path string) (list []string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	rows, err := db.Query("SELECT name || x'00' || value FROM pair UNION ALL SELECT value || x'00' || rest FROM log")
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var v []byte
		must(t, rows.Scan(&v))
		list = append(list, string(v))
	}
	must(t, rows.Err())
	return list
}

// A log that is imported again does not bring back calls that were erased, unless the caller says so; calls
// that came since are recorded.
func TestAttackAnErasedCallStaysErased(t *testing.T) {
	testrun.Door(t, "an erased call, imported again")
	s := pact.NewDB(store.NewMemory())
	calls := past(t, logOfCalls(t, filepath.Join(logs, "claude-code.jsonl")))
	if len(calls) < 2 || calls[0].ID == "" {
		t.Fatalf("the log has %d calls", len(calls))
	}
	names, added := addAll(t, s, calls[:len(calls)-1])
	if added != len(calls)-1 {
		t.Fatalf("%d of %d", added, len(calls)-1)
	}
	c := opened(t, s, names[0])
	first, err := c.At(t.Context(), pact.Cycle(1))
	must(t, err)
	var ids []string
	for n, err := range first.Nodes() {
		must(t, err)
		if n.Class == "block" && n.Role == "user" {
			ids = append(ids, n.ID)
		}
	}
	_, err = record.Erase(t.Context(), s, c, pact.Erasure{IDs: ids, Reason: "asked to", Random: rand.Reader})
	must(t, err)
	i, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "run", First: calls[0].ID})
	must(t, err)
	for n, p := range calls[:len(calls)-1] {
		if isNew, err := i.Add(t.Context(), p); err != nil || isNew {
			t.Errorf("call %d came back: %v, %v", n, isNew, err)
		}
	}
	if i.Erased() == 0 {
		t.Error("it does not say so")
	}
	again, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "run", Again: true})
	must(t, err)
	isNew, err := again.Add(t.Context(), calls[0])
	if must(t, err); !isNew || again.Erased() != 0 {
		t.Error("it does not come back when that is asked for")
	}
}

// Nor do the words after its last answer, which repeat all that was said, bring it back into the working state.
func TestAttackAnErasedTextIsNotSentAgain(t *testing.T) {
	testrun.Door(t, "an erased text, in what a log has not sent yet")
	s := pact.NewDB(store.NewMemory())
	log := dbtest.Session(8)
	read, err := calllog.Read(log[:bytes.LastIndex(log[:len(log)-1], []byte("\n"))+1]) // without the last answer
	must(t, err)
	session := read.Sessions[0]
	calls := past(t, session)
	names, _ := addAll(t, s, calls)
	c := opened(t, s, names[0])
	second, err := c.At(t.Context(), pact.Cycle(2))
	must(t, err)
	var ids []string
	for n, err := range second.Nodes() {
		must(t, err)
		if n.Class == "block" && n.Role == "assistant" {
			ids = append(ids, n.ID)
		}
	}
	_, err = record.Erase(t.Context(), s, c, pact.Erasure{IDs: ids, Reason: "asked to", Random: rand.Reader})
	must(t, err)
	before := opened(t, s, names[0]).Working().Digest()
	i, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "run", First: calls[0].ID})
	must(t, err)
	for _, p := range calls {
		_, err := i.Add(t.Context(), p)
		must(t, err)
	}
	body, err := session.UnsentBody()
	must(t, err)
	kept, err := i.AddUnsent(t.Context(), string(session.API), body)
	if must(t, err); i.Erased() == 0 || kept || opened(t, s, names[0]).Working().Digest() != before {
		t.Errorf("%d calls were erased; kept: %v", i.Erased(), kept)
	}
}
