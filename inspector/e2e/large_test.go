package e2e

import (
	"testing"
	"time"

	"github.com/contexttree/pact/internal/testrun"
)

// TestALargeContextIsAsQuickToWalkAsASmallOne looks at 1,000 calls with 100,000 nodes.
func TestALargeContextIsAsQuickToWalkAsASmallOne(t *testing.T) {
	db := sqliteFile(t)
	calls := testrun.Size(t, 200, 1000, 1000) // the first cut is at call 100
	grown(t, db, "large", calls, 102)
	b := newTab(t, serve(t, db))
	b.signIn()
	b.patience = 3 * time.Minute // the server reads all calls first
	b.openStory("/c/large")
	b.patience = patience
	b.call(calls)
	answers := eval[[]int](b, `performance.getEntriesByType('resource').filter((e) => e.name.includes('/strata')).map((e) =>
		e.decodedBodySize)`)
	if len(answers) != 1 || answers[0] > 200_000 {
		t.Errorf("the picture takes answers of %d bytes, want one of at most 200,000", answers)
	}
	for range 30 {
		b.press("ArrowLeft")
	}
	b.call(calls - 30)
	b.press("Shift+ArrowLeft")
	b.until("a cut is shown", `document.querySelector('h1').innerText.includes('sent anew')`)
	if again := eval[int](b, `performance.getEntriesByType('resource').filter((e) => e.name.includes('/strata')).length`); again != 1 {
		t.Errorf("scrubbing asks for the picture %d times", again)
	}
	b.until("the messages are there", `document.querySelector('.pane [role=listbox]')`)
	b.tabTo("the list of messages", `e.role === 'listbox'`)
	b.press("End")
	b.until("the last row of the list is selected", `(() => {
		const row = document.querySelector('[role=option][aria-selected=true]')
		return row && row.ariaPosInSet === row.ariaSetSize && Number(row.ariaSetSize) > `+
		map[bool]string{true: "5_000", false: "50_000"}[calls < 1000]+`
	})()`)
	if rows := eval[int](b, `document.querySelectorAll('[role=option]').length`); rows > 200 {
		t.Errorf("%d rows are drawn", rows)
	}
	b.press("Home")
	b.until("the first row is selected", `document.querySelector('[role=option][aria-selected=true]')?.ariaPosInSet === '1'`)
}
