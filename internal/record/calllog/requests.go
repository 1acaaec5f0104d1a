package calllog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
)

// isRequests reports whether a value is a request, alone or in an object with
// what was logged about it, or a list that begins with one.
func isRequests(first raw) bool {
	f := first.fields()
	if f["root"] != nil || f["pact_history"] != nil {
		return false
	}
	if list := elementsOf(first, 0); len(list) > 0 {
		return callOf(list[0].raw()) != nil
	}
	return false
}

// readRequests reads requests: bodies as they are, and objects that hold a body
// and what else a program or a gateway logs of a call.
func readRequests(list []record, found *findings) []Session {
	r := newRequestList(found)
	for _, e := range list {
		r.session.Calls = append(r.session.Calls, r.read(e)...)
	}
	return r.sessions()
}

// requestList collects the calls of a log of requests.
type requestList struct {
	session Session
	found   *findings
	ids     callIDs
	wrapped bool // a value was a list, or what an export puts around one
}

func newRequestList(found *findings) *requestList {
	return &requestList{session: Session{Exact: Wire}, found: found, ids: callIDs{}}
}

// read returns the call in one value of the log, or those in the list that it is; none that was read before.
func (r *requestList) read(e record) (calls []Call) {
	c := callOf(e.raw())
	if c == nil {
		if list := elementsOf(e.raw(), e.line); len(list) > 0 && len(list[0].raw()) < len(e.raw()) {
			r.wrapped = true
			for _, one := range list {
				calls = append(calls, r.read(one)...)
			}
			return calls
		}
	}
	r.found.records++
	if c == nil {
		r.found.left++
		r.found.add(e.line, "it holds no request to one of the four APIs, so it was left out")
		return nil
	}
	if !r.ids.name(&c.Call) {
		r.found.left++
		r.found.add(e.line, "the call "+c.ID+" is there twice; it was read once")
		return nil
	}
	c.Line = e.line
	if c.note != "" {
		r.found.note(e.line, c.note)
	}
	if c.exact != Wire {
		r.session.Exact = c.exact
	}
	return []Call{c.Call}
}

func (r *requestList) sessions() []Session {
	if len(r.session.Calls) == 0 {
		return nil
	}
	inOrder(r.session.Calls)
	return []Session{r.session}
}

// callIDs gives calls their ids.
type callIDs map[string][sha256.Size]byte

// name completes the id of a call. A call without one gets the hash of its
// body, which stays the same wherever the call stands in the log; a body that
// was sent again is another call. name reports false if a call with the same id
// and the same body came before.
func (ids callIDs) name(c *Call) bool {
	hash := sha256.Sum256(c.Body)
	own := c.ID != ""
	if !own {
		c.ID = hex.EncodeToString(hash[:8])
	}
	base := c.ID
	for n := 2; ; n++ {
		known, taken := ids[c.ID]
		if !taken {
			ids[c.ID] = hash
			return true
		}
		if own && known == hash {
			return false
		}
		c.ID = base + "#" + strconv.Itoa(n)
	}
}

// inOrder sorts calls by the time at which they began, if the log has the time
// of each. Otherwise they stay as the file has them.
func inOrder(calls []Call) {
	if slices.ContainsFunc(calls, func(c Call) bool { return c.Started == 0 }) {
		return
	}
	slices.SortStableFunc(calls, func(a, b Call) int { return cmp.Compare(a.Started, b.Started) })
}
