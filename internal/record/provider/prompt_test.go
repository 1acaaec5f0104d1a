package provider

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/testrun"
)

// growing returns the parts of a conversation in each form that a content has.
func growing(t testing.TB, count int) *Request {
	r := &Request{API: Messages, Model: "claude-opus-5-5"}
	for i := range count {
		text := fmt.Sprintf([]string{`"%d"`, `%d`, `["%d"]`, `{"a":"%d"}`, `[]`, `{}`, `null`}[i%7], i/14)
		if i%7 > 3 {
			text = []string{`[]`, `{}`, `null`}[i%7-4]
		}
		r.Parts = append(r.Parts, Part{Section: Conversation, Message: i, Kind: "result", Role: "tool",
			Call: fmt.Sprint(i / 14), Failed: i/7%2 == 1, Content: parsed(t, text)})
	}
	return r
}

// What is read along a conversation is what is read of each call alone, and a
// call adds the hash of its new part only.
func TestACallHashesOnlyItsNewPart(t *testing.T) {
	all, known := growing(t, 98), Hashes{}
	for n := range len(all.Parts) + 1 {
		r := *all
		r.Parts = all.Parts[:n]
		got, want := anthropicCache.ReadNext(&r, "", known), anthropicCache.Read(&r, "")
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%d parts: %+v, want %+v", n, got, want)
		}
		if len(known) != n {
			t.Fatalf("%d hashes after %d parts", len(known), n)
		}
	}
	removed := *all
	removed.Parts = append(append([]Part{}, all.Parts[:7]...), all.Parts[8:]...)
	if anthropicCache.ReadNext(&removed, "", known); len(known) != len(all.Parts) {
		t.Errorf("%d hashes after a part was removed", len(known))
	}
}

// A prompt that goes on looks at the contents of those parts alone that it has not in their place, and says what a new one
// says: what decides a setting is found where it came, and is gone with its part, and thinking leaves with the next question.
// What a prompt said before stays.
func TestAPromptThatGoesOnSaysWhatANewOneSays(t *testing.T) {
	for _, name := range CacheRulesNames() {
		if n := len(CacheRulesNamed(name).Settings); n > 8 {
			t.Errorf("%s has %d settings, and a block a bit for eight", name, n)
		}
	}
	clearing := parsed(t, `{"context_management":{"edits":[{"type":"clear_tool_uses_20250919",
		"trigger":{"type":"tool_uses","value":2},"keep":{"type":"tool_uses","value":1}}]}}`)
	for seed := range uint64(testrun.Size(t, 100, 500, 20_000)) {
		r := rand.New(rand.NewPCG(8, seed))
		rules := []*CacheRules{anthropicCache, chatCache}[r.IntN(2)]
		q := &Request{API: Messages, Model: []string{"claude-opus-5-5", "claude-sonnet-4-5"}[r.IntN(2)],
			Parts: growing(t, 1).Parts}
		known, p, before := Hashes{}, &Prompt{}, []Part(nil)
		var last, copied *Prompt
		for range 30 {
			q.Parts, q.Marked = slices.Clone(q.Parts[:max(1, len(q.Parts)-r.IntN(40)/30*r.IntN(8))]), nil
			for range r.IntN(4) {
				message := 0
				if n := len(q.Parts); n > 0 {
					message = q.Parts[n-1].Message + r.IntN(2)
				}
				kind := []string{"text", "thinking", "call", "result", "image"}[r.IntN(5)]
				q.Parts = append(q.Parts, Part{Section: Conversation, Message: message, Kind: kind, Role: []string{"user", "assistant"}[r.IntN(2)],
					Call: fmt.Sprint(r.IntN(9)), Content: parsed(t, []string{`"a"`, `"b"`, `{"citations":{"enabled":true}}`}[r.IntN(3)])})
			}
			if n := len(q.Parts); n > 0 {
				q.Marked = []int{r.IntN(n)}
			}
			if q.Parameters = (canon.Any{}); r.IntN(9) == 0 {
				q.Parameters = clearing
			}
			same := 0
			for same < min(len(before), len(q.Parts)) && known.Of(&before[same]) == known.Of(&q.Parts[same]) &&
				before[same].Message == q.Parts[same].Message {
				same++
			}
			rules.ReadHashed(p, q, "", same, func(i int) [sha256.Size]byte { return known.Of(&q.Parts[i]) })
			if want := rules.Read(q, ""); !reflect.DeepEqual(p, want) {
				t.Fatalf("seed %d: %+v, want %+v", seed, p, want)
			}
			if last != nil && !reflect.DeepEqual(last, copied) {
				t.Fatalf("seed %d: what the prompt said before is now %+v, not %+v", seed, last, copied)
			}
			if last != nil && !reflect.DeepEqual(rules.Compare(last, p), rules.Compare(copied, p)) {
				t.Fatalf("seed %d: prompts in one array compare otherwise than others", seed)
			}
			said := *p
			other := said
			other.Blocks = slices.Clone(p.Blocks)
			last, copied, before = &said, &other, q.Parts
		}
	}
}
