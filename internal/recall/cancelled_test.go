package recall

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/testrun"
)

// The end of the input does not wait for the answer to a request that was cancelled: it may never come.
func TestNobodyWaitsForACancelledRequest(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := Lines{In: strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}` + "\n"), Out: io.Discard}.Connect(ctx)
	must(t, err)
	for range 2 {
		_, err = c.Read(ctx)
		must(t, err)
	}
	if _, err := c.Read(ctx); !errors.Is(err, io.EOF) {
		t.Errorf("the session ends with %v", err)
	}
}

var must = testrun.Must
