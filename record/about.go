package record

import (
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// about returns what the provider reported about an answer besides its content,
// without secrets.
func (c *call) about(a *provider.Answer) canon.Any {
	about, _ := c.hide.value(aboutAnswer(a))
	if a.Failure != "" && c.status != 0 {
		about = canon.Object(append(about.Members, canon.Member{Name: "http",
			Value: canon.Any{Kind: canon.KindNumber, Text: strconv.Itoa(c.status)}})...)
	}
	if c.first.IsZero() {
		return about
	}
	waited := max(0, c.first.Sub(c.started)).Milliseconds()
	return canon.Object(append(about.Members, canon.Member{Name: "first_byte_ms",
		Value: canon.Any{Kind: canon.KindNumber, Text: strconv.FormatInt(waited, 10)}})...)
}

// aboutAnswer collects what the provider reported about an answer.
func aboutAnswer(a *provider.Answer) canon.Any {
	var members []canon.Member
	text := func(name, value string) {
		if value != "" {
			members = append(members, member(name, value))
		}
	}
	number := func(name string, n *int64) {
		if n != nil {
			members = append(members, canon.Member{Name: name, Value: canon.Any{Kind: canon.KindNumber,
				Text: string(canon.Int(*n))}})
		}
	}
	text("id", a.ID)
	text("request_id", a.RequestID)
	text("model", a.Model)
	text("finish", a.Finish)
	text("refusal", a.Refusal)
	number("cached", a.Usage.Cached)
	number("written", a.Usage.Written)
	number("written_5m", a.Usage.Written5m)
	number("written_1h", a.Usage.Written1h)
	number("reasoning", a.Usage.Reasoning)
	if a.CacheMiss.Kind != canon.KindAbsent {
		members = append(members, canon.Member{Name: "cache_miss", Value: a.CacheMiss})
	}
	if len(a.Changed) > 0 {
		members = append(members, canon.Member{Name: "changed", Value: canon.ArrayOf(a.Changed...)})
	}
	return canon.Object(members...)
}

func member(name, text string) canon.Member {
	return canon.Member{Name: name, Value: canon.Any{Kind: canon.KindString, Text: text}}
}

// aboutOf returns what an attempt keeps of the provider's report, a value of no
// kind if it keeps none.
func aboutOf(a history.Attempt) (canon.Any, error) {
	if a.Request == "" {
		return canon.Any{}, nil
	}
	k, err := decodeKept(a.Request)
	if err != nil || k.About == nil {
		return canon.Any{}, err
	}
	about, err := canon.ParseDocument(k.About)
	if err != nil {
		return canon.Any{}, fault.Wrap(fault.DocumentInvalid, err, "the record of the answer cannot be read", "")
	}
	return about, nil
}
