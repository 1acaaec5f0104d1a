package pact

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// Verify reads a context again from its store and checks all of it: what the
// store can tell of its own rows, the log, the content hash of every version of
// a node, the rules for nodes and their canonical order, and of every snapshot
// the digests that its commit recorded, the thread, rendered again, and the
// bytes that were sent. What was committed before there were digests is counted
// and not held to any. progress, if not nil, is told how many snapshots are
// done. A context that does not hold is no error: see Broken. Where there are
// attempts it also says which snapshots are what was sent; where something was
// erased, when, by whom and why. Cost: everything that is stored once, without
// the contents of other contexts, and rendering every snapshot.
func Verify(ctx context.Context, c *Context, progress func(done, total int)) (*VerifyReport, error) {
	return verifyOne(ctx, c.store, c.Name(), progress, func(i store.Info) bool { return i.Key == c.state.Load().Key })
}

// VerifyNamed is Verify for a context that may be too damaged to be opened.
func VerifyNamed(ctx context.Context, s store.Store, name string, progress func(done, total int)) (*VerifyReport, error) {
	return verifyOne(ctx, s, name, progress, func(i store.Info) bool { return i.Name == name })
}

func verifyOne(ctx context.Context, s store.Store, name string, progress func(done, total int), is func(store.Info) bool) (*VerifyReport, error) {
	if b, err := verifyStore(ctx, s); b != nil || err != nil {
		return &VerifyReport{Context: name, Broken: b}, err
	}
	list, err := s.Contexts(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, is)
	if at < 0 {
		return nil, store.NoContext(name)
	}
	return verifyContext(ctx, s, list[at], progress)
}

// verifyStore checks what is no context's own.
func verifyStore(ctx context.Context, s store.Store) (*Broken, error) {
	damage, err := s.CheckAll(ctx)
	return brokenBy(damage, err)
}

// brokenBy is what a store says of damage, be it asked for or met.
func brokenBy(d *store.Damage, err error) (*Broken, error) {
	if d == nil && !errors.As(err, &d) {
		return nil, err
	}
	return &Broken{Loose: d.Loose, Cycle: d.Cycle, Node: d.Node, Among: d.Among, What: d.What, Recorded: d.Recorded, Found: d.Found}, nil
}

// verifyContext checks what is one context's own.
func verifyContext(ctx context.Context, s store.Store, now store.Info, progress func(done, total int)) (*VerifyReport, error) {
	for {
		v := &verifier{ctx: ctx, report: VerifyReport{Context: now.Name}, seen: newSeen(), erased: map[string]bool{}}
		err := v.context(s, now, progress)
		if b, other := brokenBy(nil, err); b != nil {
			v.report.Broken, err = b, other
		}
		if b := v.report.Broken; b != nil && !b.Loose && b.Cycle > now.Cycle {
			b.Working = true
		}
		if err == nil && v.report.Broken == nil {
			return &v.report, nil
		}
		since, failed := s.Log(ctx, now.Key, now.Revision+1, math.MaxInt64)
		if failed != nil || !slices.ContainsFunc(since, func(e store.Entry) bool { return e.Kind == store.Erasing }) {
			return &v.report, err
		}
		// What was read is of before and after an erasure: again.
		later, failed := s.Load(ctx, now.Key)
		if failed != nil {
			return &v.report, err
		}
		now = later.Info
	}
}

// verifier goes through the snapshots of one context, oldest first.
type verifier struct {
	ctx    context.Context
	report VerifyReport
	seen   *seen               // what was checked
	erased map[string]bool     // ids of gaps
	fresh  []string            // ids of the versions that the tree at hand brings
	calls  map[int64][]Attempt // by cycle
	err    error               // what could not be read
}

// context checks a context as it was at a revision, and its working state as it
// is by then.
func (v *verifier) context(s store.Store, now store.Info, progress func(done, total int)) error {
	left, err := s.Erase(v.ctx, 0, store.Erase{DryRun: true})
	if err != nil {
		return err
	}
	v.report.Remains = left.Remains
	damage, err := s.Check(v.ctx, now.Key)
	if v.report.Broken, err = brokenBy(damage, err); v.report.Broken != nil || err != nil {
		return err
	}
	erasures, broken, err := checkLog(entries(v.ctx, s, now.Key, now.Revision), now)
	if v.report.Broken = broken; broken != nil || err != nil {
		return err
	}
	if err := v.attempts(s, now); err != nil {
		return err
	}
	last, err := v.snapshots(s, now, progress)
	if err != nil || v.report.Broken != nil {
		return err
	}
	if err := v.working(s, now.Key, last); err != nil || v.report.Broken != nil {
		return err
	}
	v.report.Erased = len(v.erased)
	v.report.Erasures, err = pastErasures(v.ctx, s, now, erasures)
	return err
}

// snapshots checks the snapshots one after the other and returns the last one.
func (v *verifier) snapshots(s store.Store, now store.Info, progress func(done, total int)) (last *tree.Tree, err error) {
	if now.Cycle < now.First {
		return nil, nil
	}
	log := readCommits(entries(v.ctx, s, now.Key, now.Revision))
	defer log.stop()
	for t, err := range s.History(v.ctx, now.Key, now.First, now.Cycle) {
		if err != nil {
			return nil, err
		}
		entry, err := log.of(t.Cycle())
		if err != nil {
			return nil, err
		}
		if v.report.Broken = v.snapshot(t, entry); v.report.Broken != nil || v.err != nil {
			return nil, v.err
		}
		last = t
		v.report.Snapshots++
		if progress != nil {
			progress(v.report.Snapshots, int(now.Cycle-now.First+1))
		}
	}
	return last, nil
}

// working checks the working state, which others may have gone on from.
func (v *verifier) working(s store.Store, key store.Key, snapshot *tree.Tree) error {
	now, err := s.Load(v.ctx, key)
	if err != nil {
		return err
	}
	last, err := s.Log(v.ctx, key, now.Revision, now.Revision)
	if err != nil || len(last) == 0 {
		return err
	}
	if v.report.Broken = v.tree(onTop(snapshot, now.Working), last[0]); v.report.Broken != nil {
		v.report.Broken.Working = true
	}
	return v.err
}

// onTop is the working state as the last snapshot with what differs from it, so
// that what they share is checked once.
func onTop(last, working *tree.Tree) *tree.Tree {
	if last == nil {
		return working
	}
	gone, born := last.Delta(working)
	return last.Patch(working.Cycle(), gone, born)
}

// checkLog checks that a log has every revision once, and every cycle once and
// in turn, and returns its erasures.
func checkLog(log iter.Seq2[store.Entry, error], i store.Info) (erasures []store.Entry, b *Broken, err error) {
	revision, published := int64(0), i.First-1 // the last of each
	for e, err := range log {
		if err != nil {
			return nil, nil, err
		}
		revision++
		begins := e.Kind == store.Create
		switch e.Kind {
		case store.Create:
			if e.Cycle == i.First { // it came with an import
				published = e.Cycle
			}
		case store.Edit, store.Forked, store.Aside:
		case store.Erasing:
			erasures = append(erasures, e)
		case store.Commit:
			switch {
			case e.Cycle <= published:
				return nil, &Broken{Cycle: e.Cycle, What: "the log publishes the cycle twice"}, nil
			case e.Cycle > published+1:
				return nil, unpublished(published + 1), nil
			}
			published = e.Cycle
		default:
			return nil, &Broken{Cycle: e.Cycle, What: "the log has an entry of an unknown kind"}, nil
		}
		if e.Revision != revision || begins != (revision == 1) {
			return nil, &Broken{Cycle: e.Cycle, What: "the log does not count its revisions", Found: strconv.FormatInt(e.Revision, 10), Recorded: strconv.FormatInt(revision, 10)}, nil
		}
	}
	switch {
	case revision != i.Revision || revision == 0:
		return nil, &Broken{Cycle: i.Cycle, What: "the log ends early"}, nil
	case published < i.Cycle:
		return nil, unpublished(published + 1), nil
	}
	return erasures, nil, nil
}

func unpublished(cycle int64) *Broken {
	return &Broken{Cycle: cycle, What: "the log does not say who published the cycle"}
}

// snapshot checks a tree, renders it, and compares with what the log says of
// the bytes.
func (v *verifier) snapshot(t *tree.Tree, e store.Entry) *Broken {
	if b := v.tree(t, e); b != nil || v.err != nil {
		return b
	}
	if e.Digest != "" {
		v.report.Recorded++
	}
	sum, size := sha256.New(), counter(0)
	var to io.Writer = &size
	calls := v.calls[t.Cycle()]
	if e.Sent != "" || len(calls) > 0 {
		to = io.MultiWriter(&size, sum)
	}
	if v.err = t.WriteThread(v.ctx, to); v.err != nil {
		return nil
	}
	if _, want := t.ThreadSize(); int64(size) != want {
		return &Broken{Cycle: t.Cycle(), What: "size of the thread", Recorded: strconv.FormatInt(want, 10), Found: strconv.FormatInt(int64(size), 10)}
	}
	found := hex.EncodeToString(sum.Sum(nil))
	if len(calls) > 0 {
		v.report.Attempts.join(t.Cycle(), found, calls)
	}
	if e.Sent == "" {
		return nil
	}
	v.report.Sent++
	if found != e.Sent {
		return &Broken{Cycle: t.Cycle(), What: "SHA-256 of the bytes that were sent", Recorded: e.Sent, Found: found}
	}
	return nil
}

// tree checks the nodes of a tree and compares its digests with the log's.
func (v *verifier) tree(t *tree.Tree, e store.Entry) *Broken {
	v.fresh = v.fresh[:0]
	if b := v.shape(t); b != nil || v.err != nil {
		return b
	}
	if e.Digest == "" {
		return nil
	}
	if found := t.Digest().String(); found != e.Digest {
		return v.among(&Broken{Cycle: t.Cycle(), What: "digest of headers and contents", Recorded: e.Digest, Found: found})
	}
	if e.Thread == "" {
		return nil
	}
	if found := t.ThreadDigest().String(); found != e.Thread {
		return v.among(&Broken{Cycle: t.Cycle(), What: "digest of the thread", Recorded: e.Thread, Found: found})
	}
	return nil
}

// maxAmong is how many nodes are named where one of them is broken: more would
// help nobody.
const maxAmong = 50

// among names the nodes that the cycle brought: what came before them holds.
func (v *verifier) among(b *Broken) *Broken {
	switch n := len(v.fresh); {
	case n == 1:
		b.Node = v.fresh[0]
	case n <= maxAmong:
		b.Among = append([]string(nil), v.fresh...)
	}
	return b
}

// counter counts what is written.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
