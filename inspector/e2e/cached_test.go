package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// A session whose cache lapsed though its requests repeat each other: the inspector says so in the words of pact open, and
// nowhere that nothing broke.
func TestABreakThatTheProviderCountedIsToldLikeEverywhere(t *testing.T) {
	db, log := sqliteFile(t), filepath.Join(t.TempDir(), "lapsed.jsonl")
	const said = `{"sessionId":"s","type":"user","uuid":"u1","parentUuid":null,"timestamp":"2026-09-01T10:00:00.000Z","message":{"role":"user","content":"hello"}}
{"sessionId":"s","type":"assistant","uuid":"a1","parentUuid":"u1","timestamp":"2026-09-01T10:00:02.000Z","requestId":"r1","message":{"id":"m1","type":"message","role":"assistant","model":"claude-opus-4-8","content":[{"type":"text","text":"one"}],"usage":{"input_tokens":500,"cache_creation_input_tokens":60000,"cache_read_input_tokens":0,"output_tokens":10}}}
{"sessionId":"s","type":"user","uuid":"u2","parentUuid":"a1","timestamp":"2026-09-01T10:13:00.000Z","message":{"role":"user","content":"go on"}}
{"sessionId":"s","type":"assistant","uuid":"a2","parentUuid":"u2","timestamp":"2026-09-01T10:13:05.000Z","requestId":"r2","message":{"id":"m2","type":"message","role":"assistant","model":"claude-opus-4-8","content":[{"type":"text","text":"two"}],"usage":{"input_tokens":500,"cache_creation_input_tokens":60010,"cache_read_input_tokens":0,"output_tokens":10}}}
{"sessionId":"s","type":"user","uuid":"u3","parentUuid":"a2","timestamp":"2026-09-01T10:14:00.000Z","message":{"role":"user","content":"more"}}
{"sessionId":"s","type":"assistant","uuid":"a3","parentUuid":"u3","timestamp":"2026-09-01T10:14:05.000Z","requestId":"r3","message":{"id":"m3","type":"message","role":"assistant","model":"claude-opus-4-8","content":[{"type":"text","text":"three"}],"usage":{"input_tokens":500,"cache_creation_input_tokens":20,"cache_read_input_tokens":60010,"output_tokens":10}}}
`
	if err := os.WriteFile(log, []byte(said), 0o600); err != nil {
		t.Fatal(err)
	}
	command(t, db, "import", log, "--name", "lapsed")
	command(t, db, "fork", "lapsed", "@c2", "again")
	b := newTab(t, serve(t, db))
	b.signIn()
	b.until("the fork has no calls of its own, and none is paid or broke again", `[...document.querySelectorAll('tbody tr')].some((row) =>
		row.textContent.includes('again') && [3, 6, 7].map((n) => row.children[n - 1].textContent).join() === '0,0,')`)
	b.until("the list says what the run cost, and that it broke once", `[...document.querySelectorAll('tbody tr')].some((row) => row.textContent
		.includes('10.7884\u2009USD')) && document.querySelector('td[title="3 of 3 calls by counts and prices"]')`)
	b.openStory("/c/lapsed?at=c2")
	b.see("@c2 read 0 where @c1 had left 60000 tokens (counted), 60000 were sent again for 0.3450 USD: idle for 13 min, over the lifetime of 5 min (computed).")
	b.openStory("/c/lapsed?at=c3")
	b.see("Before it the prefix broke once, in call 2.")
	b.openStory("/c/lapsed?view=cost")
	b.see("0.7884\u2009USD paid in 3 calls, 0.3450\u2009USD of it because of 1 break")
}
