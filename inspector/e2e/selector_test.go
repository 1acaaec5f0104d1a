package e2e

import (
	"testing"
)

// search writes into the selector box, in place of what it had.
func (b *tab) search(text string) {
	b.t.Helper()
	b.clickOn("[role=combobox]")
	b.press("Control+a")
	b.enter(text)
	b.until("the box has the text", `document.querySelector('[role=combobox]').value === `+quoted(text))
}

// A person mistypes a selector and sees where.
func TestAnErrorIsUnderlinedAtItsByte(t *testing.T) {
	inEditions(t, func(b *tab) {
		b.openStory("/c/story")
		b.search("[kind='result' .block")
		b.until("the box is marked", `document.querySelector('[role=combobox]').ariaInvalid === 'true'`)
		b.until("the rest after the error is underlined",
			`document.querySelector('.selector-mirror .wrong')?.textContent.length > 0`)
		b.accessible("a selector with an error")
		b.search("[kind='result'] ")
		b.until("the mark is gone", `document.querySelector('[role=combobox]').ariaInvalid !== 'true'`)
	})
}

// A person begins a selector and takes what the box offers to complete it.
func TestTheBoxCompletesWhatOccurs(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "complete")
	b := newTab(t, serve(t, db))
	b.signIn()
	b.openStory("/c/complete")
	b.search("[ki")
	b.until("kind is offered", `[...document.querySelectorAll('#offers [role=option]')].some((o) => o.innerText.includes('kind'))`)
	b.until("the server was asked for the unfinished text",
		`performance.getEntriesByType('resource').some((e) => e.name.includes('normal=true') && e.name.includes('%5Bki'))`)
	b.accessible("completions")
	b.press("ArrowDown", "Enter")
	b.until("kind is taken", `document.querySelector('[role=combobox]').value.startsWith('[kind')`)
	b.press("Escape")
}
