package calllog

import (
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// wholeOf returns the messages of the rebuilt request of a call, each as JSON.
func wholeOf(t *testing.T, c *Call) (list []string) {
	t.Helper()
	request := c.Request
	if c.of != nil {
		var err error
		request, err = c.messages(0)
		must(t, err)
	}
	messages, _ := request.Get(provider.ListOf(c.API))
	for i := range messages.Elems {
		list = append(list, string(messages.Elems[i].Value()))
	}
	return list
}

// Of all samples, a call goes on from the one before if its messages begin with all of that one's; then the others are left.
func TestContinuedCallsAgreeWithTheirMessages(t *testing.T) {
	goOn, others := 0, 0
	for name, data := range samples(t) {
		log, err := readWhole(data)
		must(t, err)
		for _, s := range log.Sessions {
			for i := range s.Calls {
				for k := range i + 1 {
					c, before := &s.Calls[i], &s.Calls[k]
					more, continues, err := c.Continues(before)
					must(t, err)
					if c.Body != nil || before.Body != nil || c.API != before.API || c.of != before.of {
						if continues {
							t.Errorf("%s: call %d goes on from %d of another kind", name, i, k)
						}
						continue
					}
					now, was := wholeOf(t, c), wholeOf(t, before)
					want := len(now) >= len(was) && slices.Equal(now[:len(was)], was)
					if continues != want {
						t.Fatalf("%s: call %d goes on from %d: %t, want %t", name, i, k, continues, want)
					}
					if others++; !want {
						continue
					}
					goOn++
					list, _ := more.Get(provider.ListOf(c.API))
					left := slices.Collect(func(yield func(string) bool) {
						for i := range list.Elems {
							if !yield(string(list.Elems[i].Value())) {
								return
							}
						}
					})
					if !slices.Equal(left, now[len(was):]) {
						t.Errorf("%s: call %d has %q behind call %d, want %q", name, i, left, k, now[len(was):])
					}
				}
			}
		}
	}
	if goOn == 0 || goOn == others {
		t.Errorf("%d of %d calls go on", goOn, others)
	}
	if _, continues, _ := (&Call{}).Continues(nil); continues {
		t.Error("a call goes on from none")
	}
	one, two := canon.Text("a"), canon.Text("b")
	for _, x := range []struct {
		a, b canon.Any
		want bool
	}{{one, one, true}, {one, two, false}, {canon.ArrayOf(one), canon.ArrayOf(two), false}, {canon.ArrayOf(one), canon.ArrayOf(canon.Text("a")), true},
		{canon.Object(canon.Member{Name: "x", Value: one}), canon.Object(canon.Member{Name: "y", Value: one}), false},
		{canon.Object(canon.Member{Name: "x", Value: one}), canon.Object(canon.Member{Name: "x", Value: canon.Text("a")}), true}} {
		if equal(&x.a, &x.b) != x.want {
			t.Errorf("%s and %s are the same: %t", x.a.Value(), x.b.Value(), !x.want)
		}
	}
}
