package canon

import "testing"

func TestAnObjectWithAndWithoutMembers(t *testing.T) {
	is := func(a Any, want string) {
		t.Helper()
		if got := string(a.Value()); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	object, err := ParseAny([]byte(`{"c":3,"a":1,"b":[2]}`))
	must(t, err)
	is(object.With("b", Text("x")), `{"a":1,"b":"x","c":3}`)
	is(object.With("aa", Null.Any()).With("d", Number(4)), `{"a":1,"aa":null,"b":[2],"c":3,"d":4}`)
	is(object.With("a", Any{}), `{"b":[2],"c":3}`)
	is(object.With("\xed\xa0\xbd\xed\xb8\x80", True.Any()), `{"a":1,"b":[2],"c":3,"\ud83d\ude00":true}`)
	is(Any{}.With("a", Number(1)), `{"a":1}`)
	is(object.Without("c", "a", "none"), `{"b":[2]}`)
	is(object.Without("a").With("a", Number(5)), `{"a":5,"b":[2],"c":3}`)
	is(object.Without("a", "b", "c"), `{}`)
	is(Text("a").Without("a"), `"a"`)
	is(object, `{"a":1,"b":[2],"c":3}`)
	one, other := object.With("d", Number(1)), object.With("d", Number(2)) // neither has the memory of the other
	is(one, `{"a":1,"b":[2],"c":3,"d":1}`)
	is(other, `{"a":1,"b":[2],"c":3,"d":2}`)
}
