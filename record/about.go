package record

import (
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// about returns the report of the provider about an answer, without its content and without secrets.
func (c *call) about(a *provider.Answer) canon.Any {
	about, _ := c.hide.value(aboutAnswer(a))
	if a.Failure != "" && c.status != 0 {
		about = about.With("http", canon.Number(int64(c.status)))
	}
	if c.first.IsZero() {
		return about
	}
	waited := max(0, c.first.Sub(c.started)).Milliseconds()
	return about.With("first_byte_ms", canon.Number(waited))
}

// aboutAnswer collects the report of the provider about an answer.
func aboutAnswer(a *provider.Answer) canon.Any {
	var changed canon.Any
	if len(a.Changed) > 0 {
		changed = canon.ArrayOf(a.Changed...)
	}
	return canon.Fields("id", a.ID, "request_id", a.RequestID, "model", a.Model, "finish", a.Finish, "refusal", a.Refusal,
		"cached", a.Usage.Cached, "written", a.Usage.Written, "written_5m", a.Usage.Written5m, "written_1h", a.Usage.Written1h,
		"reasoning", a.Usage.Reasoning, "terms", a.Usage.Terms, "cache_miss", a.CacheMiss, "changed", changed)
}

// aboutOf returns the report that an attempt keeps of the provider, a value of no kind if it keeps none.
func aboutOf(a history.Attempt) (canon.Any, error) {
	if a.Request == "" {
		return canon.Any{}, nil
	}
	k, err := beforeFrame(a.Request)
	if err != nil {
		return canon.Any{}, err
	}
	return aboutIn(k)
}

// aboutIn is aboutOf for a record that was read, nil for none.
func aboutIn(k *storedRequest) (canon.Any, error) {
	if k == nil || k.About == nil {
		return canon.Any{}, nil
	}
	about, err := canon.ParseDocument(k.About)
	if err != nil {
		return canon.Any{}, fault.Wrap(fault.DocumentInvalid, err, "the record of the answer cannot be read",
			"restore the store from a backup or an export")
	}
	return about, nil
}
