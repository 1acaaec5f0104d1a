package server_test

import (
	"net/url"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/server"
)

// talk makes a context in which each call adds one of the texts; the ids are those of the places.
func talk(t *testing.T, r *running, name string, texts ...string) *pact.Context {
	t.Helper()
	c, err := pact.Create(t.Context(), r.store, name, nil)
	must(t, err)
	for i, text := range texts {
		say(t, c, string(rune('a'+i)), text)
	}
	return c
}

// say adds a block and commits it.
func say(t *testing.T, c *pact.Context, id, text string) {
	t.Helper()
	add := func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: id, Role: "user", Content: text})
		return nil
	}
	_, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: add})
	must(t, err)
}

// A state of another context is compared as one of the same context: by a name before the address.
func TestStatesOfTwoContextsAreCompared(t *testing.T) {
	r := start(t, server.Options{})
	c := talk(t, r, "left", "one", "two", "three")
	fork, err := c.Fork(t.Context(), pact.Cycle(2), "right, 2@3", nil)
	must(t, err)
	say(t, fork, "other", "another three")
	vs := url.QueryEscape("right, 2@3@c3")

	var blocks struct {
		Items []struct {
			Node string
			New  bool
		}
		Cut struct {
			Start, Height int64
			Node, Cause   string
		}
	}
	r.must(&blocks, "GET", "/v1/contexts/left/blocks?vs="+vs, "")
	before, err := c.At(t.Context(), pact.Cycle(2))
	must(t, err)
	_, shared := before.ThreadSize() // with its closing bracket, in the place of which the next comma stands
	if cut := blocks.Cut; cut.Node != "c" || cut.Cause != "" || cut.Height != shared-1 {
		t.Errorf("cut %+v, %d bytes are shared", cut, shared)
	}
	if n := len(blocks.Items); n != 3 || blocks.Items[1].New || !blocks.Items[2].New {
		t.Errorf("%+v", blocks.Items)
	}
	var only struct{ Items []struct{ ID string } }
	r.must(&only, "GET", "/v1/contexts/left/blocks?new=true&vs="+vs, "")
	if len(only.Items) != 1 || only.Items[0].ID != "c" {
		t.Errorf("new blocks: %+v", only.Items)
	}

	type component struct {
		ID    string
		Cause struct{ Kind string }
	}
	var rich struct {
		Added   []component `json:"components_added"`
		Removed []component `json:"components_removed"`
	}
	r.must(&rich, "GET", "/v1/contexts/left/diff?from="+vs+"&select=.block", "")
	if len(rich.Added) != 1 || rich.Added[0].ID != "c" || len(rich.Removed) != 1 || rich.Removed[0].ID != "other" ||
		rich.Added[0].Cause.Kind != "context" {
		t.Errorf("%+v", rich)
	}
}

// A text is found in every call that had it, also once it is gone, and in every context.
func TestATextIsFoundEverywhere(t *testing.T) {
	r := start(t, server.Options{})
	c := talk(t, r, "chat", "the Needle is here", "hay")
	found, err := c.Select(t.Context(), "@c1 .seg", nil)
	turns := found
	must(t, err)
	_, err = c.Commit(t.Context(), &pact.CommitOptions{Pruning: &pact.Pruning{IDs: turns}})
	must(t, err)
	talk(t, r, "other", "only hay")
	talk(t, r, "third", "hay", "needles\nand a needle")
	type occurrences struct {
		Context string
		Total   int
		Items   []struct {
			ID, Line           string
			Kind               string `json:"shown_kind"`
			First, Last, Count int64
		}
	}
	var all struct {
		Items []occurrences
		Next  string
	}
	r.must(&all, "GET", "/v1/grep?context=chat&q=nEEdle", "")
	if one := all.Items[0]; len(one.Items) != 1 || one.Items[0].ID != "a" || one.Items[0].First != 1 || one.Items[0].Last != 2 ||
		one.Items[0].Line != "the Needle is here" || one.Items[0].Kind != "user" {
		t.Errorf("%+v", one)
	}
	for query, want := range map[string]int{"nEEdle&regexp=true": 0, "%5BNn%5Deedle%20is%7Cno&regexp=true": 1, "%5Bn": 0,
		"needle&from=@c2&to=@c2": 1, "needle&from=@c3": 0, "hay&to=@c1": 0} {
		if r.must(&all, "GET", "/v1/grep?context=chat&q="+query, ""); all.Items[0].Total != want {
			t.Errorf("%s finds %+v", query, all.Items[0])
		}
	}
	r.must(&all, "GET", "/v1/grep?q=needle", "")
	if len(all.Items) != 2 || all.Items[0].Context != "chat" || all.Items[1].Context != "third" ||
		all.Items[1].Items[0].Count != 2 || all.Next != "" {
		t.Errorf("%+v", all)
	}
}

// A context is listed with its forks and sub-agents, whichever of them is asked.
func TestAFamilyIsListed(t *testing.T) {
	r := start(t, server.Options{})
	c := talk(t, r, "run", "one", "two")
	fork, err := c.Fork(t.Context(), pact.Cycle(1), "again", nil)
	must(t, err)
	_, err = fork.Fork(t.Context(), pact.Cycle(1), "and again", nil)
	must(t, err)
	begun := map[string]any{"wire:begun-by": map[string]any{"context": "run", "block": "b"}}
	_, err = pact.Create(t.Context(), r.store, "agent", &pact.CreateOptions{Attrs: begun})
	must(t, err)
	talk(t, r, "stranger", "one")
	for _, name := range []string{"run", "and again", "agent"} {
		var family struct {
			Items []struct {
				Name   string
				Forked *struct {
					Name  string
					Cycle int64
				} `json:"forked_from"`
				Begun *struct {
					Context, Node string
					Cycle         int64
				} `json:"begun_by"`
			}
		}
		r.must(&family, "GET", "/v1/contexts?family="+url.QueryEscape(name), "")
		list := family.Items
		if len(list) != 4 || list[1].Begun == nil || *list[1].Begun != struct {
			Context, Node string
			Cycle         int64
		}{"run", "b", 2} || list[2].Forked == nil || list[3].Name != "run" {
			t.Errorf("of %s: %+v", name, list)
		}
	}
}
