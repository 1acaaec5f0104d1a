package calllog

import (
	"math"
	"strconv"
	"time"

	"github.com/contexttree/pact/internal/canon"
)

// The range of times that a log can have, in seconds since the epoch: from 2001
// to 2286. A number between two of these bounds times a power of 1,000 counts
// seconds, milliseconds, microseconds or nanoseconds.
const (
	earliest = 1e9
	latest   = 1e10
)

// layouts are the ways in which programs write a time, besides RFC 3339.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999",
	"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 -0700"}

// timeOf reads a time: nanoseconds since the epoch, 0 if the value is no time.
// A time without a zone is taken as UTC.
func timeOf(v canon.Any) int64 {
	switch v.Kind {
	case canon.KindString:
		for _, layout := range layouts {
			if t, err := time.Parse(layout, v.Text); err == nil {
				return inRange(float64(t.Unix()), t.UnixNano())
			}
		}
		if n, err := strconv.ParseFloat(v.Text, 64); err == nil {
			return sinceEpoch(v.Text, n)
		}
	case canon.KindNumber:
		if n, err := strconv.ParseFloat(v.Text, 64); err == nil {
			return sinceEpoch(v.Text, n)
		}
	}
	return 0
}

// sinceEpoch reads a number of seconds or of one of their fractions.
func sinceEpoch(text string, n float64) int64 {
	for unit := float64(time.Second); unit >= 1; unit /= 1000 {
		if n < earliest || n >= latest {
			n /= 1000
			continue
		}
		if whole, err := strconv.ParseInt(text, 10, 64); err == nil {
			return whole * int64(unit)
		}
		// A float64 holds such seconds to a quarter of a microsecond.
		return int64(math.Round(n*1e6)) * int64(time.Microsecond)
	}
	return 0
}

func inRange(seconds float64, ns int64) int64 {
	if seconds < earliest || seconds >= latest {
		return 0
	}
	return ns
}

// milliseconds reads a duration in milliseconds, as nanoseconds; 0 if there is none.
func milliseconds(v canon.Any) int64 {
	n, err := strconv.ParseFloat(v.Text, 64)
	if v.Kind != canon.KindNumber || err != nil || n < 0 || n > float64(24*time.Hour/time.Millisecond) {
		return 0
	}
	return int64(n * float64(time.Millisecond))
}
