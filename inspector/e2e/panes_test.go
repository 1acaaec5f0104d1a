package e2e

import (
	"testing"
)

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
