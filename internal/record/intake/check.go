package intake

import (
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/calllog"
)

// checkCalls returns the first call that no importer takes, with the error. Of rebuilt requests
// that each repeat the one before and add to it, it writes and parses the longest: a shorter one
// has fewer bytes and values and is no deeper, so it is taken too. Cost: the bodies, but of such a
// run a look at each message of each request, and the longest body.
func checkCalls(calls []calllog.Call) (int, error) {
	first, size := 0, 0 // of the run of requests that end in call n
	for n := range calls {
		if n+1 < len(calls) && repeats(&calls[n+1], &calls[n]) {
			continue
		}
		taken, err := checkCall(&calls[n], size)
		if err == nil {
			first, size = n+1, taken+taken/8
			continue
		}
		for ; first < n; first++ {
			if _, err := checkCall(&calls[first], size); err != nil {
				return first, err
			}
		}
		return n, err
	}
	return 0, nil
}

// checkCall returns the size of the body, or the error if no importer takes the call. size is about
// how many bytes a body has that it must write.
func checkCall(c *calllog.Call, size int) (int, error) {
	if c.Body == nil && c.Request.Kind == canon.KindAbsent { // it stayed in its file
		return 0, c.Refused
	}
	past := pastCall(c, size)
	return len(past.Body), past.Check()
}

// repeats reports whether the rebuilt request of a call has all that an earlier one to the same
// API has. It may say no of requests that do.
func repeats(c, earlier *calllog.Call) bool {
	return c.Request.Kind != canon.KindAbsent && earlier.Request.Kind != canon.KindAbsent && c.API == earlier.API && c.Path == earlier.Path &&
		holds(&c.Request, &earlier.Request)
}

// holds reports whether one value has all that another has: the same text, the other's elements
// at its beginning, the other's members. Values that share their memory are not compared further.
func holds(v, of *canon.Any) bool {
	if v.Kind != of.Kind || v.Text != of.Text || len(v.Elems) < len(of.Elems) || len(v.Members) < len(of.Members) {
		return false
	}
	if len(of.Elems) > 0 && &v.Elems[0] != &of.Elems[0] {
		for i := range of.Elems {
			if !holds(&v.Elems[i], &of.Elems[i]) {
				return false
			}
		}
	}
	if len(of.Members) > 0 && &v.Members[0] != &of.Members[0] {
		at := 0
		for i := range of.Members {
			for at < len(v.Members) && v.Members[at].Name < of.Members[i].Name {
				at++
			}
			if at == len(v.Members) || v.Members[at].Name != of.Members[i].Name ||
				!holds(&v.Members[at].Value, &of.Members[i].Value) {
				return false
			}
		}
	}
	return true
}
