package clients

import (
	"os"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

const document = "../../docs/openapi.json"

func load(t testing.TB, text []byte) *openapi3.T {
	t.Helper()
	d, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestTheDocumentIsValid(t *testing.T) {
	d := load(t, read(t, document))
	if err := d.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d.Paths.Len() < 30 {
		t.Errorf("%d paths: the document lacks most of the API", d.Paths.Len())
	}
}
