package e2e

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// repeated returns how many bytes of the whole blocks at the beginning of a thread the
// thread before has too.
func repeated(t *testing.T, before, after string) int {
	t.Helper()
	var older, newer []json.RawMessage
	if err := json.Unmarshal([]byte(before), &older); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(after), &newer); err != nil {
		t.Fatal(err)
	}
	n := len("[")
	for i := 0; i < min(len(older), len(newer)) && bytes.Equal(older[i], newer[i]); i++ {
		if n += len(newer[i]); i > 0 {
			n += len(",")
		}
	}
	return n
}

// digits is a JavaScript expression for the number at the end of the first line of an element.
func digits(css string) string {
	return `Number(document.querySelector('` + css + `')?.innerText.match(/byte ([\d\s]+)/)?.[1].replace(/\s/g, '') ?? -1)`
}

// A person finds the cut of a call at the same byte in the sentence, the thread and the request.
func TestTheCutStandsAtTheSameByteInAllPanes(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "cut")
	want := repeated(t, command(t, db, "thread", "cut", "@c8"), command(t, db, "thread", "cut", "@c9"))
	b := newTab(t, serve(t, db))
	b.signIn()
	b.openStory("/c/cut?at=c9")
	b.until("the cut stands across the thread", `document.querySelector('.cut-line')`)
	if got := eval[int](b, digits(".cut-line")); got != want {
		t.Errorf("the thread is cut at byte %d, want %d", got, want)
	}
	b.press("4")
	b.until("the cut is named above the bytes", `document.querySelector('.mark-of-cut')`)
	if got := eval[int](b, digits(".mark-of-cut")); got != want {
		t.Errorf("the request is cut at byte %d, want %d", got, want)
	}
	b.until("the first row behind the cut is in sight", `document.querySelector('.raw.behind')`)
	behind := eval[string](b, `document.querySelector('.raw.behind .raw-text').innerText`)
	if !strings.Contains(behind, `"text4"`) {
		t.Errorf("behind the cut comes %s, want the block text4", behind)
	}
}

// A person reads the request in the form of each provider and has its bytes verified.
func TestARequestIsShownInEachFormAndVerified(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "forms")
	b := newTab(t, serve(t, db))
	b.signIn()
	b.openStory("/c/forms?at=c9&view=request")
	b.see("✓ as the server said")
	b.click("openai")
	b.until("the messages of the API are shown", `document.querySelector('#pane .list')?.innerText.includes('"tool_calls"')`)
	b.click("whole request")
	b.until("they are shown as a request", `document.querySelector('.toggle[aria-pressed=true][title]') &&
		document.querySelector('#pane .list')?.innerText.includes('"messages"')`)
	b.click("verify")
	b.see("✓ holds: 12 snapshots")
	b.accessible("a request that was verified")
}

// A person opens the page of a block and goes through its versions.
func TestThePageOfABlockShowsEachVersion(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "versions")
	b := newTab(t, serve(t, db))
	b.signIn()
	b.open("/c/versions?at=c9&view=block&node=rules")
	b.see("2 versions")
	const content = `document.querySelector('article.block .content > div:last-of-type')?.innerText.trim()`
	b.until("the version of the call is shown", content+` === 'You are a careful engineer. It is Monday.'`)
	b.click("difference")
	b.until("what the edit added is marked", `document.querySelector('.difference ins')?.innerText.includes('Monday')`)
	b.clickOn(".versions button")
	b.until("the first version is shown", content+` === 'You are a careful engineer.'`)
	b.until("the page stays", `location.search === '?at=c1&view=block&node=rules'`)
}
