package splice

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
)

// Edits leave every byte besides them: odd numbers, blanks, the order of members, escapes.
func TestEdits(t *testing.T) {
	body := []byte("{ \"b\": 1.50e2,\n \"list\" : [ 1 , {\"x\":\"\\u00e9\"},3 ],\"a\":{\"k\":1, \"l\":2}, \"empty\":[]}")
	v, ok := Parse(body)
	if !ok {
		t.Fatal("not read")
	}
	list, of, empty := v.Get("list"), v.Get("a"), v.Get("empty")
	for _, c := range []struct {
		edit func(e *Edits)
		want string
	}{
		{func(e *Edits) {}, string(body)},
		{func(e *Edits) { e.Remove(list, 0) }, strings.Replace(string(body), "1 , {", "{", 1)},
		{func(e *Edits) { e.Remove(list, 1) }, strings.Replace(string(body), " , {\"x\":\"\\u00e9\"},3", ",3", 1)},
		{func(e *Edits) { e.Remove(list, 2) }, strings.Replace(string(body), "},3 ]", "}]", 1)},
		{func(e *Edits) { e.Remove(list, 0); e.Remove(list, 1); e.Remove(list, 2) },
			strings.Replace(string(body), "[ 1 , {\"x\":\"\\u00e9\"},3 ]", "[]", 1)},
		{func(e *Edits) { e.Insert(list, 3, []byte("4")); e.Remove(list, 2) },
			strings.Replace(string(body), "},3 ]", "},4]", 1)},
		{func(e *Edits) { e.Insert(list, 0, []byte("0")) }, strings.Replace(string(body), "[ 1", "[0,1", 1)},
		{func(e *Edits) { e.Insert(empty, 0, []byte("0")); e.Insert(empty, 0, []byte("1")) },
			strings.Replace(string(body), "[]", "[0,1]", 1)},
		{func(e *Edits) { e.RemoveMember(of, "k"); e.RemoveMember(of, "none") },
			strings.Replace(string(body), "\"k\":1, ", "", 1)},
		{func(e *Edits) {
			e.Replace(v.Get("b"), []byte("2"))
			e.Remove(list, 1)
			e.Replace(list.Elems[1].Get("x"), []byte("7"))
		},
			strings.Replace(strings.Replace(string(body), "1.50e2", "2", 1), " , {\"x\":\"\\u00e9\"},3", ",3", 1)},
	} {
		var e Edits
		c.edit(&e)
		if got := string(e.Apply(body)); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	if text := list.Elems[1].Get("x").Text(); text != "é" {
		t.Errorf("the text is %q", text)
	}
}

// Lists that many edits changed at once hold what the same changes of a slice give.
func TestEditsOfLists(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 5))
	for range 2000 {
		n := r.IntN(6)
		var body strings.Builder
		body.WriteString("[")
		for i := range n {
			body.WriteString(strings.Repeat(" ", r.IntN(2)))
			if i > 0 {
				body.WriteString("," + strings.Repeat(" ", r.IntN(2)))
			}
			fmt.Fprint(&body, i)
		}
		body.WriteString(" ]")
		v, ok := Parse([]byte(body.String()))
		if !ok {
			t.Fatal(body.String())
		}
		var e Edits
		want := []int{}
		for i := 0; i <= n; i++ {
			for k := range r.IntN(3) {
				if r.IntN(2) == 0 {
					e.Insert(v, i, fmt.Append(nil, 100*(i+1)+k))
					want = append(want, 100*(i+1)+k)
				}
			}
			if i < n && r.IntN(2) == 0 {
				e.Remove(v, i)
			} else if i < n {
				want = append(want, i)
			}
		}
		got := []int{}
		out := e.Apply([]byte(body.String()))
		if err := json.Unmarshal(out, &got); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s became %s (%v), want %v", body.String(), out, err, want)
		}
	}
}

// What Parse takes is JSON for package canon too, with the same value, and every place holds its value.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-0.5e+7,"\ud83d\ude00",true,null,{}]}`, `[`, `{"a":1,"a":1}`, `01`, `"\x"`, "\"\x01\"", `[1,]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		v, ok := Parse(body)
		if !ok {
			return
		}
		if !json.Valid(body) {
			t.Fatalf("%q is no JSON", body)
		}
		checkPlaces(t, body, v)
		var e Edits
		if string(e.Apply(body)) != string(body) {
			t.Fatal("no edit changed the body")
		}
	})
}

func checkPlaces(t *testing.T, body []byte, v Value) {
	if string(body[v.Start:v.End()]) != string(v.Raw) || !json.Valid(v.Raw) {
		t.Fatalf("%q stands at %d", v.Raw, v.Start)
	}
	if want, err := canon.ParseAny(v.Raw); err == nil && (want.Kind != v.Kind || v.Kind == canon.KindString && want.Text != v.Text()) {
		t.Fatalf("%q: kind %v and text %q, want %v and %q", v.Raw, v.Kind, v.Text(), want.Kind, want.Text)
	}
	for _, e := range v.Elems {
		checkPlaces(t, body, e)
	}
	for _, m := range v.Members {
		checkPlaces(t, body, m.Value)
	}
}
