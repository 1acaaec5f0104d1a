package calllog

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
)

// TestDrawnConversationsComeBackFromEachFormat: conversations with images, thoughts, tools that fail or give nothing,
// answers that nobody counted, members that nobody knows and contents that are null are written in the words of six
// formats, one or several in a file. Every call is sent what stands before it and answers what its message says, each once;
// what was counted is read; and the sums of the file are those of what was read.
func TestDrawnConversationsComeBackFromEachFormat(t *testing.T) {
	list := func(files []string) string { return "[" + strings.Join(files, ",") + "]" }
	lines := func(files []string) string { return strings.Join(files, "\n") + "\n" }
	for name, f := range map[string]struct {
		write   func(talked) string
		several func(files []string) string
		fails   bool // it says that a call failed
		counts  bool
	}{
		"ATIF":                {asATIF, list, true, true},
		"mini-swe-agent":      {asMiniSWE, list, true, true},
		"SWE-agent":           {asSWEAgent, lines, false, false}, // its answers stand in the requests alone
		"Cline":               {asCline, list, true, true},
		"Gemini CLI":          {func(t talked) string { return asGemini(t, false) }, lines, true, true},
		"Gemini CLI, records": {func(t talked) string { return asGemini(t, true) }, lines, true, true},
		"OpenTelemetry":       {func(t talked) string { return asOTLP(t, false) }, lines, true, true},
		"OpenInference":       {func(t talked) string { return asOTLP(t, true) }, lines, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(testrun.Size(t, 20, 150, 5000)) {
				r := rand.New(rand.NewPCG(seed, 7))
				var talks []talked
				var files []string
				for n := range 1 + r.IntN(2) {
					talks = append(talks, drawTalk(r, string(rune('a'+n))))
					files = append(files, f.write(talks[n]))
				}
				text := files[0]
				if len(files) > 1 {
					text = f.several(files)
				}
				if problem := heldTo(t, text, talks, f.fails, f.counts); problem != "" {
					t.Fatalf("seed %d: %s\n%s", seed, problem, text)
				}
			}
		})
	}
}

var drawnWord = regexp.MustCompile(`w[a-z][0-9]+w`)

// heldTo says how the log of a file differs from the conversations in it, "" if it does not.
func heldTo(t *testing.T, text string, talks []talked, fails, counts bool) string {
	log, err := readWhole([]byte(text))
	if err != nil {
		return err.Error()
	}
	for what, sum := range sumsOf(log.Sums) {
		if sum.File != sum.Read {
			return fmt.Sprintf("%s: %d in the file, %d read: %v", what, sum.File, sum.Read, log.Findings)
		}
	}
	if len(log.Findings) > 0 || len(log.Sessions) != len(talks) {
		return fmt.Sprintf("%d sessions of %d, findings %v", len(log.Sessions), len(talks), log.Findings)
	}
	for n, talk := range talks {
		calls, at := log.Sessions[n].Calls, 0
		failed := 0
		for i, m := range talk.messages {
			if !m.answer {
				continue
			}
			if at == len(calls) {
				return fmt.Sprintf("session %d has %d calls, and message %d is an answer", n, len(calls), i)
			}
			request, answer := requestOf(t, &calls[at]), calls[at].answer(calls[at].Answer)
			before, own := talk.sent(i)
			for _, c := range []struct {
				what, says string
				want       []string
			}{{"was sent", words(request.Parts), before}, {"answers", string(answer.Content.Value()), own}} {
				got := drawnWord.FindAllString(ownIDsOut.ReplaceAllString(c.says, ""), -1)
				slices.Sort(got)
				slices.Sort(c.want)
				if log.Sessions[n].Replay != nil && c.what == "answers" {
					continue
				}
				if !slices.Equal(got, c.want) {
					return fmt.Sprintf("session %d, call %d %s %v, want %v", n, at, c.what, got, c.want)
				}
			}
			sent, u := 0, answer.Usage
			for _, p := range request.Parts {
				if p.Failed {
					sent++
				}
			}
			if fails && sent != failed {
				return fmt.Sprintf("session %d, call %d was sent %d failed results, want %d", n, at, sent, failed)
			}
			if want := tokensIn(m.in, m.out, m.cached); counts && tokensOf(u) != want && tokensOf(u) != want[:len(want)-1]+"0" {
				return fmt.Sprintf("session %d, call %d counts %s, want %s", n, at, tokensOf(u), want)
			}
			for _, c := range m.calls {
				if c.failed {
					failed++
				}
			}
			at++
		}
		if at != len(calls) {
			return fmt.Sprintf("session %d has %d calls, want %d", n, len(calls), at)
		}
	}
	return ""
}

// ownIDsOut matches the ids of calls, which have a word in them.
var ownIDsOut = regexp.MustCompile(`idw[a-z][0-9]+w`)

func tokensIn(in, out, cached int64) string {
	if in == 0 {
		return "-/-/-/-/-"
	}
	return fmt.Sprintf("%d/%d/%d/-/-", in, out, cached)
}
