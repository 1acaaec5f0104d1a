package archive_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

func FuzzImportHistory(f *testing.F) {
	for _, write := range []func(*pact.Context, io.Writer) error{
		func(c *pact.Context, w io.Writer) error { return c.Export(background, w) },
		func(c *pact.Context, w io.Writer) error {
			return c.ExportSnapshots(background, w, pact.Cycle(1), "latest")
		},
	} {
		var out bytes.Buffer
		c, err := pact.Create(background, pact.NewDB(store.NewMemory()), "c",
			&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: steps()}})
		must(f, err)
		for range 3 {
			must(f, sayOnce(c, "x"))
		}
		must(f, write(c, &out))
		f.Add(out.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "c", bytes.NewReader(data),
			&pact.ImportOptions{OpenOptions: pact.OpenOptions{Clock: steps()}})
		if err != nil {
			if fault.CodeOf(err) == "" {
				t.Fatalf("an error without a code: %v", err)
			}
			return
		}
		var out, twice bytes.Buffer
		must(t, c.Export(background, &out))
		again, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "c", bytes.NewReader(out.Bytes()), nil)
		if err != nil {
			t.Fatalf("the backup does not read: %v\n%s", err, &out)
		}
		must(t, again.Export(background, &twice))
		if !bytes.Equal(out.Bytes(), twice.Bytes()) {
			t.Fatalf("written again:\n%s\n%s", &out, &twice)
		}
		must(t, sayOnce(c, "it goes on"))
	})
}
