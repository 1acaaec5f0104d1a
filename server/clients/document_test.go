package clients

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

const (
	document = "../../docs/openapi.json"
	released = "testdata/released.json"
)

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

// TestNothingThatWasReleasedBreaks compares the document with the one of the last release.
// UPDATE_RELEASED=1 replaces that one, after a release, or where a break is wanted and the
// changelog says so.
func TestNothingThatWasReleasedBreaks(t *testing.T) {
	now := read(t, document)
	if os.Getenv("UPDATE_RELEASED") != "" {
		if err := os.WriteFile(released, now, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if list := Breaks(load(t, read(t, released)), load(t, now)); len(list) > 0 {
		t.Errorf("clients of the released API break:\n%s", strings.Join(list, "\n"))
	}
}

const small = `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"/a":{"post":{"operationId":"make",
	"parameters":[{"in":"query","name":"size","schema":{"type":"integer","minimum":1,"maximum":9}},
		{"in":"query","name":"kind","schema":{"type":"string","enum":["x","y"]}}],
	"requestBody":{"content":{"application/json":{"schema":{"type":"object","required":["name"],
		"properties":{"name":{"type":"string"},"note":{"type":["string","null"]},"more":{"type":"integer"},"free":{}}}}}},
	"responses":{"200":{"description":"d","content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}}}}}},
	"components":{"schemas":{"A":{"type":"object","required":["id","kids"],"properties":{"id":{"type":"string"},
		"state":{"type":"string","enum":["on","off"]},"kids":{"type":"array","items":{"$ref":"#/components/schemas/A"}},
		"part":{"anyOf":[{"type":"object","properties":{"deep":{"type":"integer"}}},{"type":"null"}]}}}}}}`

// Every kind of break is found and named, and what only adds is none.
func TestBreaksAreNamed(t *testing.T) {
	older := load(t, []byte(small))
	for _, c := range []struct{ from, to, want string }{
		{`"/a"`, `"/b"`, "POST /a is gone"},
		{`"post"`, `"put"`, "POST /a is gone"},
		{`"make"`, `"build"`, "POST /a is called build and was called make, as generated clients name it"},
		{`"name":"size"`, `"name":"length"`, "POST /a no longer takes the query parameter size"},
		{`"name":"size",`, `"name":"size","required":true,`, "POST /a requires the query parameter size"},
		{`"type":"integer","minimum":1`, `"type":"string","minimum":1`,
			"POST /a parameter size is refused as integer, which it could be"},
		{`"minimum":1`, `"minimum":2`, "POST /a parameter size must be at least 2"},
		{`"maximum":9`, `"maximum":8`, "POST /a parameter size must be at most 8"},
		{`["x","y"]`, `["x"]`, "POST /a parameter kind is refused as the value y, which it could be"},
		{`"requestBody":{`, `"requestBody":{"required":true,`, "POST /a requires a body"},
		{`["name"]`, `["name","note"]`, "POST /a body requires the member note"},
		{`"more":{"type":"integer"}`, `"less":{"type":"integer"}`, "POST /a body no longer takes the member more"},
		{`["string","null"]`, `"string"`, "POST /a body.note is refused as null, which it could be"},
		{`"id":{"type":"string"}`, `"key":{"type":"string"}`, "POST /a answer no longer has the member id"},
		{`"id":{"type":"string"}`, `"id":{"type":"integer"}`, "POST /a answer.id may be integer, which it never was"},
		{`"id":{"type":"string"}`, `"id":{"type":["string","null"]}`, "POST /a answer.id may be null, which it never was"},
		{`["id","kids"]`, `["kids"]`, "POST /a answer may lack the member id"},
		{`["on","off"]`, `["on","off","idle"]`, "POST /a answer.state may be the value idle, which it never was"},
		{`"deep":{"type":"integer"}`, `"deep":{"type":"string"}`,
			"POST /a answer.part.deep may be string, which it never was"},
		{`"200"`, `"201"`, "POST /a no longer answers with 200"},
		{`{"200":{"description":"d","content":{"application/json"`, `{"200":{"description":"d","content":{"text/plain"`,
			"POST /a answer is no longer application/json"},
		{`"id":{"type":"string"}`, `"id":{}`, "POST /a answer.id may be any type, which it never was"},
		{`"free":{}`, `"free":{"type":"string"}`, "POST /a body.free is refused as any type, which it could be"},
		{`"note":{"type":["string","null"]}`, `"note":{"type":["string","null"],"enum":["a",null]}`,
			"POST /a body.note is refused as any value, which it could be"},
		{`"requestBody":{`, `"noBody":{`, "POST /a no longer takes a body"},
		// What clients of the older one do goes on to work.
		{`"free":{}`, `"free":{},"next":{"type":"string"}`, ""},
		{`["on","off"]`, `["on"]`, ""},
		{`["x","y"]`, `["x","y","z"]`, ""},
		{`"more":`, `"most":{"type":"string"},"more":`, ""},
		{`"state":`, `"status":{"type":"string"},"state":`, ""},
		{`["id","kids"]`, `["id","kids","state"]`, ""},
		{`"required":["name"],`, ``, ""},
		{`"maximum":9`, `"maximum":10`, ""},
		{`"info":`, `"tags":[{"name":"new"}],"info":`, ""},
	} {
		changed := strings.Replace(small, c.from, c.to, 1)
		if changed == small || !json.Valid([]byte(changed)) {
			t.Fatalf("%s does not change the document", c.from)
		}
		got := strings.Join(Breaks(older, load(t, []byte(changed))), "\n")
		if got != c.want {
			t.Errorf("%s to %s breaks\n%s\nwant\n%s", c.from, c.to, got, c.want)
		}
	}
}
