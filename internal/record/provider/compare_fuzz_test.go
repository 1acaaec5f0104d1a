package provider

import (
	"testing"
	"time"

	"github.com/contexttree/pact/internal/canon"
)

// Whatever two bodies hold, the rules of each provider compare them without a panic, and what they say fits together:
// a body repeats all of itself, a prefix is no longer than both bodies, only an incomplete one has a
// cause, and the provider can have cached no more than what the two share.
func FuzzTwoBodies(f *testing.F) {
	for _, pair := range [][2]string{
		{`{"model":"claude-a","tools":[{"name":"x"}],"system":"s","messages":[{"role":"user","content":"1"}]}`,
			`{"model":"claude-a","tools":[{"name":"y"}],"system":"s","messages":[{"role":"user","content":"1"}]}`},
		{`{"model":"m","cache_control":{"type":"ephemeral"},"system":[{"type":"text","text":"x-anthropic-billing-header: 1"}],
			"messages":[{"role":"user","content":[{"type":"image","source":{}}]}]}`,
			`{"model":"m","thinking":{},"system":[{"type":"text","text":"x-anthropic-billing-header: 2"}],"messages":[
			{"role":"assistant","content":[{"type":"thinking","thinking":"t","cache_control":{"ttl":"1h"}}]}]}`},
		{`{"model":"gpt-6","input":"a","reasoning":{"effort":"low"}}`, `{"model":"gpt-6","input":[],"text":[]}`},
		{`{"contents":[{"parts":[{"text":"a","thought":true}]}]}`, `{"contents":[],"cachedContent":7}`},
		{`{"messages":[1],"z":1}`, `{"messages":"x","a":{}}`},
		{`{"model":1,"messages":{}}`, `{}`},
	} {
		f.Add([]byte(pair[0]), []byte(pair[1]), int64(time.Second))
		f.Add([]byte(pair[1]), []byte(pair[0]), int64(time.Hour)+1)
	}
	f.Fuzz(func(t *testing.T, older, newer []byte, wait int64) {
		for _, name := range []API{Chat, Responses, Messages, Gemini} {
			a, b := fuzzed(name, older), fuzzed(name, newer)
			if a == nil || b == nil {
				continue
			}
			for _, d := range allCacheRules() {
				checkTwo(t, d, d.Read(a, "m"), d.Read(b, "m"), time.Duration(max(0, wait)))
			}
		}
	})
}

func fuzzed(name API, body []byte) *Request {
	v, err := canon.ParseAny(body)
	if err != nil {
		return nil
	}
	r, _ := ReadRequest(name, v) // nil if it is no object
	return r
}

func checkTwo(t *testing.T, d *CacheRules, a, b *Prompt, wait time.Duration) {
	if s := d.Compare(a, a); !s.Complete || s.Blocks != len(a.Blocks) || s.ApartChanged {
		t.Fatalf("%s: a body and itself: %+v", d.Name, s)
	}
	s := d.Compare(a, b)
	if s.Of != len(a.Blocks) || s.Blocks < 0 || s.Blocks > min(len(a.Blocks), len(b.Blocks)) ||
		s.Complete != (s.Cause == "") || s.Reasoning < 0 || s.Reasoning > len(b.Blocks) {
		t.Fatalf("%s: %+v", d.Name, s)
	}
	if d.NoCache {
		return
	}
	cache, at := d.NewCache(), time.Unix(0, 0)
	in := int64(5000)
	if first := cache.Call(a, at); first.Blocks != 0 || first.Lapsed != 0 {
		t.Fatalf("%s: an empty cache has %+v", d.Name, first)
	}
	cache.Answered(Usage{In: &in, Cached: new(int64), Written: &in})
	got := cache.Call(b, at.Add(wait))
	apart := 0
	for i := range b.Blocks {
		if b.Blocks[i].Stripped {
			apart++
		}
	}
	if got.Blocks > len(b.Blocks) || max(got.Blocks, got.Lapsed) > s.Blocks+apart {
		t.Fatalf("%s: %+v is cached of %+v", d.Name, got, s)
	}
	cache.Answered(Usage{})
}
