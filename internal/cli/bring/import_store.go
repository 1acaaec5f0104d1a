package bring

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/archive"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/safefile"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/postgres"
	"github.com/spf13/cobra"
)

// storeFor opens the store for an import, and makes it if it is missing. A file that may still be refused
// is read before, or imported in memory: so a refused file leaves no store behind.
func storeFor(ctx context.Context, a *command.App, in *plan) (*pact.DB, error) {
	var err error
	switch {
	case !lacksStore(a):
	case in.Plan.Kind == intake.History:
		_, _, err = in.CheckHistory(ctx, archive.Options{Edition: in.Edition, Strict: in.Strict, Renumber: in.Renumber})
	case in.Plan.Kind == intake.Snapshot:
		_, err = in.Import(ctx, pact.NewDB(store.NewMemory()), func(int, int) {})
	}
	if err != nil {
		return nil, in.Located(err)
	}
	s, to, err := a.GatheredStore(ctx)
	in.to = to
	return s, err
}

// lacksStore reports whether the store is a file that is not there.
func lacksStore(a *command.App) bool {
	_, err := os.Stat(a.DB)
	return !postgres.IsAddress(a.DB) && errors.Is(err, fs.ErrNotExist)
}

// rehearse looks into the store, if there is one, for what a dry run must know. It refuses what the
// import would refuse.
func rehearse(ctx context.Context, a *command.App, in *plan) error {
	if lacksStore(a) {
		return nil
	}
	s, err := a.ExistingStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	return in.refused(a, in.Rehearse(ctx, s))
}

// refused words the error of an import: where in the file it is, or which context is in its way.
func (in *plan) refused(a *command.App, err error) error {
	var differs *intake.Differs
	if !errors.As(err, &differs) {
		return in.Located(err)
	}
	if node := command.FactsOf(err).Node; node != "" {
		return fault.OnNode(fault.Conflict, node, "the context "+strconv.Quote(differs.Name)+" has an edit that is not committed "+
			"and that "+in.Input.Name+" lacks", "pact remove takes it back; --name imports into another context")
	}
	return fault.New(fault.Conflict, "there is a context "+strconv.Quote(differs.Name)+" in "+a.Shown()+
		" already, made of something else", "choose another with --name, or delete it: pact delete "+screen.Quote(differs.Name))
}

// refuseLimits returns the error for limits on an import that replays nothing. A log says
// itself what was sent, and so do the snapshots of a history: a pruned snapshot would
// claim another request. flags are the limits as they were typed.
func (in *plan) refuseLimits(flags string) error {
	name := "NAME"
	if len(in.Parts) > 0 {
		name = screen.Quote(in.Parts[0].Name)
	}
	return fault.New(fault.Usage, "limits are for transcripts, whose calls are replayed under them; the "+
		string(in.Plan.Kind)+" says itself what was sent", "import it without them, then ask what they would take: pact commit "+
		name+flags+" --dry-run")
}

// importMemory is how many bytes an import may hold of what does not say how large it is.
const importMemory = 256 << 20

// importGarbage is how many percent of what an import holds may come together as garbage. It holds a multiple of its
// file, and as much garbage again, as Go allows, would be more than it takes longer to collect.
const importGarbage = 40

// What is read may be held with readHeap bytes of garbage, however little it is, and calls that are recorded with callHeap.
const (
	readHeap = 44 << 20
	callHeap = 88 << 20
)

// garbage says how much of it the process allows. More than one import runs in a test.
var garbage struct {
	sync.Mutex
	imports, heap int
	before        int  // what was allowed before the first of the imports
	watched       bool // afterCollection is called
}

// allowGarbage allows garbage up to a heap of so many bytes, or importGarbage, until its caller is done with an import and
// calls what it returns. It says anew after each collection how much that is.
func allowGarbage(heap int) (done func()) {
	if os.Getenv("GOGC") != "" { // its user decides
		return func() {}
	}
	garbage.Lock()
	defer garbage.Unlock()
	before, was := debug.SetGCPercent(importGarbage), garbage.heap
	if garbage.imports++; garbage.imports == 1 {
		garbage.before = before
	}
	if !garbage.watched {
		garbage.watched = true
		runtime.SetFinalizer(new([16]byte), afterCollection)
	}
	garbage.heap = heap
	setGarbage()
	return func() {
		garbage.Lock()
		defer garbage.Unlock()
		if garbage.heap = was; garbage.imports == 1 {
			debug.SetGCPercent(garbage.before)
		}
		garbage.imports--
	}
}

// afterCollection is called after each collection while an import runs, because nothing but this refers to the value.
func afterCollection(collected *[16]byte) {
	garbage.Lock()
	defer garbage.Unlock()
	if garbage.watched = garbage.imports > 0; garbage.watched {
		setGarbage()
		runtime.SetFinalizer(collected, afterCollection)
	}
}

func setGarbage() {
	held := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(held)
	live := max(int(held[0].Value.Uint64()), garbage.heap/16)
	debug.SetGCPercent(max(importGarbage, 100*(garbage.heap-live)/live))
}

// longestMark is how many bytes tell whether a file is compressed.
const longestMark = 4

// withMemory lets an import of a plain file hold what the file needs. A compressed file may stand for any size, and a
// pipe may never end: they get importMemory; for a compressed one a person on a terminal is asked whether it may be
// more.
func withMemory(a *command.App, run func(context.Context, *cobra.Command, []string) error) func(context.Context, *cobra.Command, []string) error {
	return func(ctx context.Context, cmd *cobra.Command, args []string) error {
		defer allowGarbage(readHeap)()
		name := ""
		if len(args) > 0 {
			name = args[0]
		}
		packed, pipe := packedFile(name), name == "-" || safefile.ShellPipe(name)
		if !packed && !pipe {
			return run(ctx, cmd, args)
		}
		remedy := "save it in a file, and name that"
		if packed {
			remedy = "decompress " + screen.Quote(name) + ", and name the plain file"
		}
		limited, _ := budget.WithMemory(ctx, importMemory, remedy)
		err := run(limited, cmd, args)
		var refused *fault.Error // other limits stay when there is more memory, and have another remedy
		if packed && errors.As(err, &refused) && refused.Code == fault.Limit && refused.Remedy == remedy && a.InTerminal &&
			a.Confirm(name+" takes more than 256 MiB of memory when it is decompressed. Go on?") {
			return run(ctx, cmd, args)
		}
		return err
	}
}

// packedFile reports whether a file may stand for more text than it has bytes.
func packedFile(name string) bool {
	file, err := safefile.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, longestMark)
	n, _ := file.ReadAt(head, 0)
	return intake.Packed(head[:n])
}
