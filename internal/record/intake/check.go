package intake

import (
	"cmp"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/calllog"
)

// checkCalls returns the first call that no importer takes, with the error. Cost: what is new in each request.
func checkCalls(calls []calllog.Call) (int, error) {
	var before *calllog.Call
	for n := range calls {
		if err := checkCall(&calls[n], before); err != nil {
			return n, err
		}
		before = &calls[n]
	}
	return 0, nil
}

// checkCall returns the error if no importer takes a call that follows another, nil for none.
func checkCall(c, before *calllog.Call) error {
	if c.Body == nil && c.Request.Kind == canon.KindAbsent { // it stayed in its file
		return c.Refused
	}
	past, err := pastCall(c, before)
	return cmp.Or(err, past.Check())
}
