package conformance_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/conformance"
	"github.com/contexttree/pact/internal/testrun"
)

// cheats are programs that know nothing of contexts, by what they do.
func cheats(t *testing.T) map[string]conformance.Command {
	prints := func(text string, exit int) conformance.Command {
		return func(context.Context, ...string) (conformance.Answer, error) {
			return conformance.Answer{Out: []byte(text), Exit: exit}, nil
		}
	}
	all := map[string]conformance.Command{
		"silent":             prints("", 0),
		"silent and failing": prints("", 2),
		"an empty line":      prints("\n", 0),
		"[]":                 prints("[]\n", 0),
		"{}":                 prints("{}\n", 0),
		"null":               prints("null\n", 0),
		"an empty diff":      prints(`{"added":[],"removed":[],"changed":[]}`+"\n", 0),
		"a constant":         prints(`["cb:u1"]`+"\n", 0),
		"two ids":            prints(`["cb:u1","cb:a1"]`+"\n", 0),
		"an empty document":  prints(`{"cycle":1,"root":{"id":"root","nodeType":"root","children":[]}}`+"\n", 0),
		"random": func(_ context.Context, args ...string) (conformance.Answer, error) {
			h := fnv.New64a()
			fmt.Fprint(h, args[len(args)-1])
			var list []string
			for n := h.Sum64(); n%4 > 0; n /= 4 {
				list = append(list, fmt.Sprintf(`"cb:%d"`, n%1000))
			}
			return conformance.Answer{Out: []byte("[" + strings.Join(list, ",") + "]\n")}, nil
		},
		"echo": func(_ context.Context, args ...string) (conformance.Answer, error) {
			return conformance.Answer{Out: []byte(args[len(args)-1] + "\n")}, nil
		},
		"the input": func(_ context.Context, args ...string) (conformance.Answer, error) {
			for _, arg := range args {
				if data, err := os.ReadFile(arg); err == nil {
					return conformance.Answer{Out: data}, nil
				}
			}
			return conformance.Answer{}, nil
		},
	}
	for _, code := range closed {
		all["always "+string(code)] = prints(`{"error":{"code":"`+string(code)+`","message":"no"}}`, 2)
	}
	return all
}

// A program that knows nothing of contexts passes no case.
func TestCheatsPassNothing(t *testing.T) {
	all := append(sample(t, testrun.Size(t, 20, 5, 1)), conformance.Generate(8, 5, conformance.Editions)...)
	for name, cheat := range cheats(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, refuses := strings.CutPrefix(name, "always ")
			for _, c := range all {
				if refuses && !expects(c, code) {
					continue
				}
				if conformance.Run(t.Context(), c, t.TempDir(), cheat) == nil {
					t.Errorf("it passes %s", c.ID)
				}
			}
		})
	}
}

// expects reports whether a check of the case wants the code.
func expects(c conformance.Case, code string) bool {
	return slices.ContainsFunc(checksOf(c), func(check conformance.Check) bool { return slices.Contains(check.Error, code) })
}
