package provider

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"testing"
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

// The allocations of a call with one new part do not grow with the history.
func TestACallAllocatesTheSameAtEveryLength(t *testing.T) {
	allocations := func(length int) float64 {
		history, known := growing(t, length), Hashes{}
		responsesCache.ReadNext(history, "", known)
		last := len(history.Parts) - 1
		return testing.AllocsPerRun(20, func() {
			history.Parts[last].Call += "x"
			responsesCache.ReadNext(history, "", known)
		})
	}
	if short, long := allocations(70), allocations(7000); long > short+8 {
		t.Errorf("%v allocations after 7000 parts, %v after 70", long, short)
	}
}

// A prompt that is read again looks at the contents of those parts alone that it has not in their place, and says what
// a new one says: what decides a setting is found where it came, and is gone with its part.
func TestReadingAPromptAgainLooksAtWhatIsNew(t *testing.T) {
	for _, name := range CacheRulesNames() {
		if n := len(CacheRulesNamed(name).Settings); n > 8 {
			t.Errorf("%s has %d settings, and a block a bit for eight", name, n)
		}
	}
	plain := &Request{API: Messages, Model: "claude-opus-5-5"}
	for i := range 40 {
		plain.Parts = append(plain.Parts, Part{Section: Conversation, Message: i, Kind: "text", Role: "user",
			Content: parsed(t, fmt.Sprint(i))})
	}
	image, cited := *plain, *plain
	image.Parts, cited.Parts = slices.Clone(plain.Parts), slices.Clone(plain.Parts)
	image.Parts[30].Kind = "image"
	cited.Parts[20].Content = parsed(t, `{"type":"document","citations":{"enabled":true}}`)
	short := *plain
	short.Parts = plain.Parts[:10]
	known, p := Hashes{}, &Prompt{}
	read := func(r *Request) {
		anthropicCache.ReadHashed(p, r, "", func(i int) [sha256.Size]byte { return known.Of(&r.Parts[i]) })
		if want := anthropicCache.Read(r, ""); !reflect.DeepEqual(p, want) {
			t.Fatalf("%+v, want %+v", p, want)
		}
	}
	for _, r := range []*Request{plain, &image, &short, &image, &cited, plain, &cited} {
		read(r)
	}
	unread := cited // as if what is in its place said something else
	unread.Parts = slices.Clone(plain.Parts)
	anthropicCache.ReadHashed(p, &unread, "", func(i int) [sha256.Size]byte { return known.Of(&cited.Parts[i]) })
	if want := anthropicCache.Read(&cited, ""); !slices.Equal(p.Settings, want.Settings) {
		t.Errorf("parts that are there already are read again: %q", p.Settings)
	}
}
