package verify_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store/sqlite"
)

// damageBytes damages a file as the bytes of a fuzzer say: each six of them flip a bit,
// cut the file, destroy a page or a half of one, or write a byte.
func damageBytes(file, how []byte) []byte {
	const page = 4096
	for n := 0; len(how) >= 6 && n < 8 && len(file) > 0; n++ {
		at := int(binary.BigEndian.Uint32(how[1:5])) % len(file)
		switch start := at / page * page; how[0] % 6 {
		case 0, 1:
			file[at] ^= 1 << (how[5] % 8)
		case 2:
			file = file[:at]
		case 3:
			clear(file[start:min(start+page, len(file))])
		case 4:
			for i := start; i < min(start+page/2, len(file)); i++ {
				file[i] = how[5]
			}
		case 5:
			file[at] = how[5]
		}
		how = how[6:]
	}
	return file
}

// answersOf returns the answers of a store, by question. An error has to be one
// of the closed list, and answers nothing.
func answersOf(t *testing.T, ctx context.Context, s *pact.DB) map[string]string {
	list := map[string]string{}
	say := func(question string, answer any, err error) {
		if err != nil {
			if fault.CodeOf(err) == "" {
				t.Errorf("%s: the error %v has no code", question, err)
			}
			return
		}
		text, err := json.Marshal(answer)
		must(t, err)
		list[question] = string(text)
	}
	infos, err := pact.List(ctx, s)
	say("contexts", infos, err)
	for _, name := range []string{"c", "fork", "imported"} {
		c, err := pact.Open(ctx, s, name, nil)
		say("open "+name, true, err)
		if err != nil {
			continue
		}
		first, last := c.Info().First, c.Info().Cycle
		say("cycles "+name, [2]int64{first, last}, nil)
		for cycle := first; cycle <= min(last, first+9); cycle++ {
			x, err := c.At(ctx, pact.Cycle(cycle))
			if err != nil {
				say("snapshot", nil, err)
				continue
			}
			thread, err := x.Thread(ctx)
			say(fmt.Sprint("thread ", name, cycle), string(thread), err)
			export, err := documentOf(ctx, x)
			say(fmt.Sprint("export ", name, cycle), string(export), err)
		}
		export, err := documentOf(ctx, c.Working())
		say("working "+name, string(export), err)
		var backup strings.Builder
		err = c.Export(ctx, &backup)
		say("backup "+name, backup.String(), err)
		info, err := s.Find(ctx, name)
		say("find "+name, info, err)
		log, err := engine.Of(s).Log(ctx, info.Key, 1, math.MaxInt64)
		say("log "+name, log, err)
		request, err := engine.Of(s).Request(ctx, info.Key, "r1")
		say("request "+name, request, err)
		attempts, err := engine.Of(s).Attempts(ctx, info.Key, math.MinInt64, math.MaxInt64)
		say("attempts "+name, attempts, err)
	}
	return list
}

// undamagedFile is a store as a file.
func undamagedFile(f *testing.F) []byte {
	path := filepath.Join(f.TempDir(), "pact.db")
	s, err := dbtest.Open(sqlite.Open(background, path))
	must(f, err)
	fillEveryColumn(f, s)
	must(f, s.Close())
	file, err := os.ReadFile(path)
	must(f, err)
	return file
}

// FuzzDamagedFile opens files with bits flipped, with pages destroyed and cut
// short. Every answer is right or an error, where verify finds nothing every
// answer is right, nothing panics, and nothing takes long.
func FuzzDamagedFile(f *testing.F) {
	testrun.OneGoroutine(f)
	file, want := undamagedFile(f), map[string]string(nil)
	step := len(file)/testrun.Size(f, 10, 30, 30) + 1
	for at := 0; at < len(file); at += step {
		for _, kind := range []byte{0, 2, 3, 4, 5} {
			f.Add(append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(at)), byte(at/step)))
		}
	}
	f.Fuzz(func(t *testing.T, how []byte) {
		open := func(data []byte) (*pact.DB, error) {
			path := filepath.Join(t.TempDir(), "pact.db")
			must(t, os.WriteFile(path, data, 0o600))
			return dbtest.Open(sqlite.Open(background, path))
		}
		if want == nil {
			s, err := open(file)
			must(t, err)
			want = answersOf(t, background, s)
			must(t, s.Close())
		}
		ctx, cancel := context.WithTimeout(background, 20*time.Second)
		defer cancel()
		s, err := open(damageBytes(append([]byte(nil), file...), how))
		if err != nil {
			if fault.CodeOf(err) == "" {
				t.Errorf("the error %v has no code", err)
			}
			return
		}
		defer s.Close()
		if r, err := pact.VerifyAll(ctx, s, nil); err == nil && r.Holds() {
			if got := answersOf(t, ctx, s); len(got) != 0 && len(got) != len(want) {
				t.Errorf("%x: verify finds nothing, and %d of %d questions are answered", how, len(got), len(want))
			}
		}
		for question, answer := range answersOf(t, ctx, s) {
			if answer != want[question] {
				t.Errorf("%x: %s: got\n%s\nwant\n%s", how, question, answer, want[question])
			}
		}
		if ctx.Err() != nil {
			t.Errorf("%x: it takes more than 20 seconds", how)
		}
	})
}
