package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// weather is a conversation that comes with the sources.
var weather = filepath.Join(repository, "examples", "conversations", "weather.json")

// A person opens the list of contexts and goes from there to one of them.
func TestTheListOfContextsLeadsToEach(t *testing.T) {
	stores(t, func(t *testing.T, db string) {
		command(t, db, "import", weather, "--name", "weather")
		command(t, db, "import", weather, "--name", "a/b c?d#e%2F")
		b := newTab(t, serve(t, db))
		b.signIn()
		b.see("weather")
		b.accessible("the list of contexts")
		b.click("a/b c?d#e%2F")
		b.until("the address names the context", `location.pathname === '/c/a%2Fb%20c%3Fd%23e%252F'`)
		b.see("a/b c?d#e%2F")
		b.click("a/b c?d#e%2F") // its name in the header opens a list of all
		b.click("All contexts")
		b.until("the list is back", `location.pathname === '/'`)
		b.click("weather")
		b.until("the address names the context", `location.pathname === '/c/weather'`)
	})
}

// A person opens the address of a context that is not there, reads so, and goes on to the list.
func TestAContextThatIsNotThereIsSaidToBe(t *testing.T) {
	db := sqliteFile(t)
	command(t, db, "import", weather, "--name", "weather")
	b := newTab(t, serve(t, db))
	b.signIn()
	b.expect(`network: .* 404 `)
	b.open("/c/wether")
	b.see("E_CONTEXT_NOT_FOUND")
	b.accessible("a context that is not there")
	b.click("All contexts")
	b.see("weather")
}

// A person goes from pane to pane with clicks and with the keys 1 to 5, and reads the list of keys.
func TestThePanesHaveKeysAndAreTabs(t *testing.T) {
	db := sqliteFile(t)
	command(t, db, "import", weather, "--name", "panes")
	b := newTab(t, serve(t, db))
	b.signIn()
	b.open("/c/panes")
	for i, pane := range []string{"Thread", "Tree", "Changes", "Request", "Attempts"} {
		chosen := `[...document.querySelectorAll('[role=tab][aria-selected=true]')].map((e) => e.innerText).join().endsWith(` +
			quoted(pane) + `)`
		b.click(pane)
		b.until(pane+" is shown after a click", chosen)
		b.press(string(rune('1' + (i+1)%5)))
		b.until("another pane is shown", `!(`+chosen+`)`)
		b.press(string(rune('1' + i)))
		b.until(pane+" is shown after its key", chosen)
		if path := b.path(); pane != "Thread" && !strings.Contains(path, "view="+strings.ToLower(pane)) {
			t.Errorf("the address does not say that %s is shown: %s", pane, path)
		}
	}
	b.press("?")
	b.until("the keys are listed", `document.querySelector('dialog[open]')?.innerText.includes('changes')`)
	b.accessible("the table of keys")
	b.press("Escape")
	b.until("the keys are gone", `!document.querySelector('dialog[open]')`)
}
