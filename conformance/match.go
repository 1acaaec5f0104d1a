package conformance

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// matches compares an answer with the members that a check states. An object must
// have the stated members and may have more; an array must be as long as the
// stated one; everything else must be equal. Present and Absent are paths such as
// diffs.0.changed.
func matches(c Check, what string, out []byte) error {
	var got, want any
	if err := decode(out, &got); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if _, ok := got.(map[string]any); !ok {
		return fmt.Errorf("%s: wants an object, got: %s", what, firstOf(out))
	}
	if c.Result != nil {
		if err := decode(c.Result, &want); err != nil {
			return err
		}
		if err := stated(want, got, ""); err != nil {
			return fmt.Errorf("%s: %w in: %s", what, err, out)
		}
	}
	for _, path := range c.Present {
		if _, there := valueAt(got, path); !there {
			return fmt.Errorf("%s: wants %s in: %s", what, path, out)
		}
	}
	for _, path := range c.Absent {
		if _, there := valueAt(got, path); there {
			return fmt.Errorf("%s: wants no %s in: %s", what, path, out)
		}
	}
	return nil
}

func stated(want, got any, path string) error {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return differs(path, want, got)
		}
		for name, value := range w {
			v, there := g[name]
			if !there {
				return fmt.Errorf("wants %s", join(path, name))
			}
			if err := stated(value, v, join(path, name)); err != nil {
				return err
			}
		}
		return nil
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return differs(path, want, got)
		}
		for i := range w {
			if err := stated(w[i], g[i], join(path, strconv.Itoa(i))); err != nil {
				return err
			}
		}
		return nil
	}
	if want != got {
		return differs(path, want, got)
	}
	return nil
}

func differs(path string, want, got any) error {
	a, _ := json.Marshal(want)
	b, _ := json.Marshal(got)
	return fmt.Errorf("wants %s to be %s and not %s", path, a, b)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// valueAt returns the value at a path.
func valueAt(v any, path string) (any, bool) {
	for _, name := range strings.Split(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			next, there := x[name]
			if !there {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(x) {
				return nil, false
			}
			v = x[i]
		default:
			return nil, false
		}
	}
	return v, true
}
