package main

import (
	"context"
	"testing"
	"time"
)

// Every row can be measured.
func TestRows(t *testing.T) {
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if f, ok := recover().(failure); ok {
					t.Error(f)
				}
			}()
			least(context.Background(), r, 40, 1, time.Second)
		})
	}
}

func TestWritten(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1500 * time.Microsecond: "1.5 ms", 25 * time.Second: "25 s", 999 * time.Nanosecond: "999ns",
		12_345 * time.Microsecond: "12 ms",
	} {
		if got := written(d); got != want {
			t.Errorf("%v is written %s, want %s", d, got, want)
		}
	}
}
