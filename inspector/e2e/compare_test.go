package e2e

import (
	"testing"
)

// A person compares a call with the one before and reads what came, what went and why.
func TestTwoCallsStandSideBySide(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "compare")
	b := newTab(t, serve(t, db))
	b.signIn()
	b.openStory("/c/compare?at=c8")
	b.call(8)
	b.press("m", "ArrowRight", "ArrowRight", "3")
	b.call(10)
	b.until("the marked call is in the address", `location.search.startsWith('?at=c10&vs=c8&view=changes')`)
	// Calls 9 and 10 brought three blocks each; call 9 lost a call and its result.
	b.see("+6 added")
	b.see("−2 removed")
	b.see("pruned by name")
	b.press("n")
	b.until("the first change is selected", `location.search.includes('node=call3')`)
	b.press("n", "n", "p")
	b.until("the next change is selected", `location.search.includes('node=result3')`)
	b.accessible("the changes")
	b.press("m")
	b.until("the mark is gone", `!location.search.includes('vs=')`)
	b.see("+3 added")
}
