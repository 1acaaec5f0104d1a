package command

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
)

// What fails between the name of a context and the context, as Ctrl-C does, is an error of the command.
func TestAContextThatIsNotOpenedIsAnError(t *testing.T) {
	a := New(Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
	a.DB = filepath.Join(t.TempDir(), "pact.db")
	s, err := a.OpenStore(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, opened, err := a.open(t.Context(), pact.OpenOptions{}, func(*pact.DB) (string, error) { return "gone", nil })
	if c != nil || opened != nil || fault.CodeOf(err) != fault.ContextNotFound {
		t.Errorf("%v, %v, %v", c, opened, err)
	}
}
