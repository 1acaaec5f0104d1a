package conformance_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/conformance"
	"github.com/contexttree/pact/internal/testrun"
)

var errWrong = errors.New("wrong")

// TestMain lets the test binary be a program under test: one that is wrong in
// a way that PACT_TEST_PROGRAM names.
func TestMain(m *testing.M) {
	switch os.Getenv("PACT_TEST_PROGRAM") {
	case "":
		os.Exit(m.Run())
	case "empty": // finds nothing, and thinks that it did well
		os.Stdout.WriteString("[]\n")
	case "words":
		text, _ := json.Marshal(os.Args[1:])
		os.Stdout.Write(text)
		os.Stderr.WriteString("beside it")
		os.Exit(3)
	case "slow":
		time.Sleep(time.Hour)
	case "lines":
		talk()
	}
}

// talk answers calls as lines: with their arguments, late, with no answer, or by ending.
func talk() {
	in := bufio.NewScanner(os.Stdin)
	for calls := 1; in.Scan(); calls++ {
		var call struct{ Args []string }
		_ = json.Unmarshal(in.Bytes(), &call)
		switch call.Args[0] {
		case "late":
			time.Sleep(time.Hour)
		case "odd":
			fmt.Println("[]")
		case "end":
			return
		default:
			text, _ := json.Marshal(map[string]any{"out": fmt.Sprint(calls, call.Args), "err": "beside it", "exit": 3})
			fmt.Printf("%s\n", text)
		}
	}
}

// A persistent program answers one call after the other; one that is late, ends or prints something else is replaced.
func TestPersistent(t *testing.T) {
	line := program(t, "lines")
	command, end, err := conformance.Persistent(line, time.Hour)
	must(t, err)
	defer end()
	late, endLate, err := conformance.Persistent(line, 50*time.Millisecond)
	must(t, err)
	defer endLate()
	if _, err := late(t.Context(), "late"); err == nil || !strings.Contains(err.Error(), "late: no answer within 50ms") {
		t.Errorf("got %v", err)
	}
	for _, x := range []struct{ word, out, err string }{
		{"one", "1 [one]", ""}, {"two", "2 [two]", ""}, {"odd", "", "odd: wants a line"}, {"three", "1 [three]", ""},
		{"end", "", "end: the program ended instead of"}, {"four", "1 [four]", ""},
	} {
		a, err := command(t.Context(), x.word)
		if string(a.Out) != x.out || (err == nil) != (x.err == "") || err != nil && !strings.Contains(err.Error(), x.err) {
			t.Errorf("%s: got %s, %v", x.word, a.Out, err)
		}
		if err == nil && (a.Exit != 3 || string(a.Err) != "beside it") {
			t.Errorf("%s: got exit code %d and %s", x.word, a.Exit, a.Err)
		}
	}
	if _, _, err := conformance.Persistent("'open", time.Minute); err == nil {
		t.Error("an open quote is taken for a command")
	}
}

// program is a command line for the test binary.
func program(t *testing.T, name string, words ...string) string {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	t.Setenv("PACT_TEST_PROGRAM", name)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise each call of it ends a second later under the race detector
	return strings.Join(append([]string{"'" + self + "'"}, words...), " ")
}

func against(t *testing.T, line string, timeout time.Duration) conformance.Command {
	t.Helper()
	command, err := conformance.Against(line, timeout)
	must(t, err)
	return command
}

func TestAgainstWords(t *testing.T) {
	line := program(t, "words", `'a b'`, `"c \"d\" \e"`, `f\ g`, `''`, `h"i"'j'`)
	a, err := against(t, line, time.Minute)(t.Context(), "select", "--", "$HOME `x` *")
	must(t, err)
	const want = `["a b","c \"d\" \\e","f g","","hij","select","--","$HOME ` + "`x`" + ` *"]`
	if string(a.Out) != want || string(a.Err) != "beside it" || a.Exit != 3 {
		t.Errorf("got %s, %s and exit code %d", a.Out, a.Err, a.Exit)
	}
	for _, bad := range []string{"", "  ", "'open", `"open`, filepath.Join(t.TempDir(), "missing")} {
		if _, err := conformance.Against(bad, time.Minute); err == nil {
			t.Errorf("%s is taken for a command", strconv.Quote(bad))
		}
	}
}

// TestAgainstEnds: a program that does not answer is stopped, by the timeout
// and by the end of the context.
func TestAgainstEnds(t *testing.T) {
	line := program(t, "slow")
	began := time.Now()
	if _, err := against(t, line, 50*time.Millisecond)(t.Context(), "select"); err == nil || !strings.Contains(err.Error(),
		"no answer within 50ms") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err := conformance.RunAll(ctx, cases(t)[:8], against(t, line, time.Hour), conformance.RunOptions{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if time.Since(began) > 30*time.Second {
		t.Error("it took", time.Since(began))
	}
}

var must = testrun.Must
