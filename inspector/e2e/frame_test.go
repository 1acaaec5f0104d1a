package e2e

import (
	"path/filepath"
	"testing"
)

// weather is a conversation that comes with the sources.
var weather = filepath.Join(repository, "examples", "conversations", "weather.json")

// A person opens the list of contexts and goes from there to one of them.
func TestTheListOfContextsLeadsToEach(t *testing.T) {
	db := sqliteFile(t)
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
