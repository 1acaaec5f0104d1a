package history

import (
	"encoding/binary"
	"encoding/json"
)

// Listed is what lists show of a context. A store keeps it with each revision, so that no list
// opens a context.
type Listed struct {
	ChangedNS int64  // time of the latest log entry
	Bytes     int64  // of the canonical thread of the latest snapshot, 0 if there is none
	Cuts      Cuts   // how much of its calls was sent anew
	Attrs     string // of the root of the working state, those that are listed, as a JSON object; "" for none
}

// MaxListedAttr is the length in bytes above which an attribute of the root is not listed. Every change of
// a context reads and compares those that are, so an attribute that would bring the names and the values, in
// the order of the names, above MaxListedAttrs bytes is not listed either.
const (
	MaxListedAttr  = 4 << 10
	MaxListedAttrs = 16 << 10
)

// Attr returns the JSON value of an attribute of the root, nil if there is none, or if it is not listed
// ([MaxListedAttr]).
func (l Listed) Attr(name string) json.RawMessage {
	if l.Attrs == "" {
		return nil
	}
	var attrs map[string]json.RawMessage
	_ = json.Unmarshal([]byte(l.Attrs), &attrs) // it was marshalled
	return attrs[name]
}

// Cuts is the shares of the calls of a context that were sent anew after a cut. At most [MaxCuts]
// bars stand for all calls: one for each call at first, for each two calls once there are more, and
// so on. Cuts has the bars that are not 0, each as two numbers: how many bars it comes after the one
// before it, and its share in thousandths.
type Cuts string

// MaxCuts is how many bars stand for all calls of a context.
const MaxCuts = 60

// each returns how many calls a bar stands for.
func each(calls int64) int64 {
	n := int64(1)
	for (calls-1)/n >= MaxCuts {
		n *= 2
	}
	return n
}

// bars returns the shares in thousandths.
func (c Cuts) bars() (bars [MaxCuts + 1]uint64) {
	rest, at := []byte(c), uint64(0)
	for len(rest) > 0 {
		gap, n := binary.Uvarint(rest)
		share, m := binary.Uvarint(rest[max(n, 0):])
		if at += gap; n <= 0 || m <= 0 || at > MaxCuts {
			break
		}
		bars[at], rest = share, rest[n+m:]
	}
	return bars
}

// WithCall returns the shares after the newest of so many calls, of whose bytes some were sent anew
// after a cut. There is at least one call.
func (c Cuts) WithCall(calls, anew, bytes int64) Cuts {
	calls = max(calls, 1)
	now := each(calls)
	wider := calls > 1 && now != each(calls-1)
	if anew == 0 && (!wider || c == "") {
		return c
	}
	bars := c.bars()
	if wider {
		for i := range bars {
			share := bars[i]
			bars[i] = 0
			bars[i/2] = max(bars[i/2], share)
		}
	}
	if anew > 0 && bytes > 0 {
		at := (calls - 1) / now
		bars[at] = max(bars[at], uint64(max(1, min(1000, anew*1000/bytes))))
	}
	var text []byte
	last := 0
	for i, share := range bars {
		if share > 0 {
			text = binary.AppendUvarint(binary.AppendUvarint(text, uint64(i-last)), share)
			last = i
		}
	}
	return Cuts(text)
}

// Shares returns the bars of so many calls, from 0 to 1.
func (c Cuts) Shares(calls int64) []float64 {
	calls = max(calls, 0)
	bars, list := c.bars(), make([]float64, (calls-1)/each(calls)+1)
	for i := range list {
		list[i] = float64(bars[i]) / 1000
	}
	return list
}
