package adk_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/adapters/adk"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/session/sessiontestsuite"
	"google.golang.org/genai"
)

// The kit's own suite holds on the store in memory and on that in a file.
func TestServiceKeepsWhatTheKitAsks(t *testing.T) {
	for name, open := range map[string]func(*testing.T) store.Store{
		"memory": func(*testing.T) store.Store { return store.NewMemory() },
		"file": func(t *testing.T) store.Store {
			s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "pact.db"))
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			sessiontestsuite.RunServiceTests(t, sessiontestsuite.SuiteOptions{SupportsUserProvidedSessionID: true}, func(t *testing.T) session.Service {
				db := pact.NewDB(open(t))
				t.Cleanup(func() { _ = db.Close() })
				return adk.New(db)
			})
		})
	}
}

// A policy that the context keeps shortens what the next run sees, calls keep their results, and a diff names the events.
func TestAPolicyHoldsForASession(t *testing.T) {
	ctx := t.Context()
	db := pact.NewDB(store.NewMemory())
	t.Cleanup(func() { _ = db.Close() })
	s := adk.New(db)
	made, err := s.Create(ctx, &session.CreateRequest{AppName: "app", UserID: "ann/1", SessionID: "s"})
	must(t, err)
	c, err := pact.Open(ctx, db, adk.ContextName("app", "ann/1", "s"), nil)
	must(t, err)
	policy, err := lifecycle.ParsePolicy([]byte(`{"rules":[{"select":".cb[kind='text'][bytes>100]","head":10}]}`))
	must(t, err)
	must(t, c.Edit(ctx, func(b *pact.Batch) error { b.KeepPolicy(&policy); return nil }, nil))
	for _, content := range []*genai.Content{
		genai.NewContentFromText("Look.", genai.RoleUser),
		genai.NewContentFromFunctionCall("ls", map[string]any{"dir": "/"}, genai.RoleModel),
		genai.NewContentFromFunctionResponse("ls", map[string]any{"output": "a"}, genai.RoleUser),
		genai.NewContentFromText(strings.Repeat("0123456789", 30), genai.RoleModel),
	} {
		for _, p := range content.Parts {
			if p.FunctionCall != nil {
				p.FunctionCall.ID = "c1"
			} else if p.FunctionResponse != nil {
				p.FunctionResponse.ID = "c1"
			}
		}
		must(t, s.AppendEvent(ctx, made.Session, &session.Event{ID: content.Role, Author: "x", LLMResponse: model.LLMResponse{Content: content}}))
	}
	got, err := s.Get(ctx, &session.GetRequest{AppName: "app", UserID: "ann/1", SessionID: "s"})
	must(t, err)
	events := got.Session.Events()
	if events.Len() != 4 || events.At(1).Content.Parts[0].FunctionCall.ID != "c1" || events.At(2).Content.Parts[0].FunctionResponse.ID != "c1" {
		t.Fatalf("%d events came back", events.Len())
	}
	if text := events.At(3).Content.Parts[0].Text; !strings.HasPrefix(text, "0123456789\n[290 bytes are left out here; ") {
		t.Errorf("the long answer is %q", text)
	}
	if err := c.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	if last := c.Info().Cycle; last != 3 { // the call waited for its result
		t.Errorf("four events are %d cycles", last)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
