package canon

import "strconv"

// Text returns a string as a value to walk.
func Text(s string) Any { return Any{Kind: KindString, Text: s} }

// Number returns a whole number as a value to walk.
func Number(n int64) Any { return Any{Kind: KindNumber, Text: strconv.FormatInt(n, 10)} }

// Fields makes an object of names and values in turn: strings, *int64 and Any. It leaves out members without a
// value: "", nil and an Any of no kind. Of equal names the last wins.
func Fields(pairs ...any) Any {
	members := make([]Member, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		var value Any
		switch v := pairs[i+1].(type) {
		case string:
			if v != "" {
				value = Text(v)
			}
		case *int64:
			if v != nil {
				value = Number(*v)
			}
		case Any:
			value = v
		}
		if value.Kind != KindAbsent {
			members = append(members, Member{Name: pairs[i].(string), Value: value})
		}
	}
	return objectOf(members)
}

// Held returns a value to print, whose elements and members cannot be walked, unless Opened reads them. Cost: O(1).
func (v Value) Held() Any { return Any{Kind: v.Kind(), held: true, Text: string(v)} }

// Opened returns a value that can be walked: a, or what a holds. Cost: that of parsing what a holds.
func (a Any) Opened() Any {
	if !a.held {
		return a
	}
	v, err := ParseAny([]byte(a.Text))
	if err != nil {
		panic(err) // Text is canonical
	}
	return v
}
