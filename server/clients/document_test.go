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
		"properties":{"name":{"type":"string"},"note":{"type":["string","null"]},"more":{"type":"integer"},"free":{},
		"open":{"type":"object"},
		"code":{"type":"string","minLength":2,"maxLength":8},
		"length":{"type":"array","minItems":1,"maxItems":5,"items":{"enum":["s","m"]}},
		"content":{"oneOf":[{"$ref":"#/components/schemas/Text"},{"$ref":"#/components/schemas/Image"},{"type":"null"}]}}}}}},
	"security":[{"key":[]},{"login":["read"]}],
	"responses":{"200":{"description":"d","content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}}}},
	"get":{"operationId":"free","security":[],"responses":{"204":{"description":"d"}}}}},"security":[{"key":[]}],
	"components":{"securitySchemes":{"key":{"type":"apiKey","in":"header","name":"X-Key"},"login":{"type":"oauth2",
		"flows":{}},"other":{"type":"http","scheme":"bearer"}},
	"schemas":{"Text":{"type":"string"},"Image":{"type":"object","properties":{"url":{"type":"string"}}},
	"A":{"type":"object","required":["id","kids"],"properties":{"id":{"type":"string"},
		"state":{"type":"string","enum":["on","off"]},"title":{"type":"string","maxLength":20,"format":"date"},
		"counts":{"type":"object","additionalProperties":{"type":"integer"}},
		"one":{"oneOf":[{"type":"string"},{"type":"integer"}]},"kids":{"type":"array","items":{"$ref":"#/components/schemas/A"}},
		"part":{"anyOf":[{"type":"object","properties":{"deep":{"type":"integer"}}},{"type":"null"}]}}}}}}`

// Every kind of break is found and named, and what only adds is none.
func TestBreaksAreNamed(t *testing.T) {
	older := load(t, []byte(small))
	for _, c := range []struct{ from, to, want string }{
		{`"/a"`, `"/b"`, "GET /a is gone\nPOST /a is gone"},
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
		{`"length":`, `"length":{"type":"string"},"was":`,
			"POST /a body.length is refused as array, which it could be"},
		{`"minLength":2`, `"minLength":3`, "POST /a body.code must have a length of at least 3"},
		{`"maxLength":8`, `"maxLength":7`, "POST /a body.code must have a length of at most 7"},
		{`"more":{"type":"integer"}`, `"more":{"type":"integer","minimum":0}`, "POST /a body.more must be at least 0"},
		{`"more":{"type":"integer"}`, `"more":{"type":"integer","exclusiveMinimum":0}`,
			"POST /a body.more must be more than 0"},
		{`"more":{"type":"integer"}`, `"more":{"type":"integer","exclusiveMaximum":9}`,
			"POST /a body.more must be less than 9"},
		{`"more":{"type":"integer"}`, `"more":{"type":"integer","multipleOf":2}`,
			"POST /a body.more must be a multiple of 2"},
		{`"more":{"type":"integer"}`, `"more":{"type":"integer","const":2}`,
			"POST /a body.more is refused as any value, which it could be"},
		{`"name":{"type":"string"}`, `"name":{"type":"string","pattern":"^a"}`, "POST /a body.name must match ^a"},
		{`"name":{"type":"string"}`, `"name":{"type":"string","format":"date"}`,
			"POST /a body.name must have the format date"},
		{`"minItems":1`, `"minItems":2`, "POST /a body.length needs so many items: 2"},
		{`"maxItems":5`, `"maxItems":4`, "POST /a body.length takes no more items than 4"},
		{`"maxItems":5`, `"uniqueItems":true,"maxItems":5`,
			"POST /a body.length refuses the same item twice: uniqueItems"},
		{`"items":{"enum":["s","m"]}`, `"items":{"enum":["s"]}`,
			"POST /a body.length[] is refused as the value m, which it could be"},
		{`"open":{"type":"object"}`, `"open":{"type":"object","additionalProperties":false}`,
			"POST /a body.open refuses members that it does not name"},
		{`"open":{"type":"object"}`, `"open":{"type":"object","additionalProperties":{"type":"string"}}`,
			"POST /a body.open.* is refused as any type, which it could be"},
		{`{"$ref":"#/components/schemas/Text"},{`, `{`, "POST /a body.content is refused as string, which it could be\n" +
			"POST /a body.content is refused as Text, which it could be"},
		{`"url":{"type":"string"}`, `"url":{"type":"string","maxLength":9}`,
			"POST /a body.content is refused as Image, which it could be"},
		{`"title":{"type":"string","maxLength":20`, `"title":{"type":"string","maxLength":21`,
			"POST /a answer.title may be longer than 20, which it never did"},
		{`,"format":"date"`, ``, "POST /a answer.title may lack the format date, which it never did"},
		{`"counts":{"type":"object","additionalProperties":{"type":"integer"}}`,
			`"counts":{"type":"object","additionalProperties":{"type":"string"}}`,
			"POST /a answer.counts.* may be string, which it never was"},
		{`"one":{"oneOf":[`, `"one":{"oneOf":[{"title":"a list","type":"array"},`,
			"POST /a answer.one may be array, which it never was\nPOST /a answer.one may be a list, which it never was"},
		{`"security":[{"key":[]},{"login":["read"]}]`, `"security":[{"key":[]}]`,
			"POST /a no longer takes requests with login"},
		{`"login":["read"]`, `"login":["read","write"]`, "POST /a no longer takes requests with login"},
		{`{"login":["read"]}`, `{"key":[],"login":["read"]}`, "POST /a no longer takes requests with login"},
		{`"free","security":[]`, `"free","security":[{"key":[]}]`,
			"GET /a no longer takes requests with no credentials"},
		{`"name":"X-Key"`, `"name":"X-Other-Key"`, "credentials of key are sent in another way"},
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
		{`"minLength":2`, `"minLength":1`, ""},
		{`"maxLength":8`, `"maxLength":9`, ""},
		{`"items":{"enum":["s","m"]}`, `"items":{"enum":["s","m","l"]}`, ""},
		{`"url":{"type":"string"}`, `"url":{}`, ""},
		{`{"$ref":"#/components/schemas/Text"},{`, `{"$ref":"#/components/schemas/Text"},{"type":"integer"},{`, ""},
		{`"one":{"oneOf":[{"type":"string"},`, `"one":{"oneOf":[`, ""},
		{`"title":{"type":"string","maxLength":20`, `"title":{"type":"string","maxLength":19`, ""},
		{`"counts":{"type":"object","additionalProperties":{"type":"integer"}}`,
			`"counts":{"type":"object","additionalProperties":false}`, ""},
		{`{"login":["read"]}`, `{"login":[]}`, ""},
		{`"security":[{"key":[]},{"login":["read"]}]`, `"security":[]`, ""},
		{`"security":[{"key":[]}`, `"security":[{"other":[]},{"key":[]}`, ""},
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
