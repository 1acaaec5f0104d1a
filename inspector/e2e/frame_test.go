package e2e

import (
	"path/filepath"
	"testing"
)

// weather is a conversation that comes with the sources.
var weather = filepath.Join(repository, "examples", "conversations", "weather.json")

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
