package query

import (
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/contexttree/pact/fault"
)

// These limits bound what matching regular expressions may cost. The automaton of
// RE2 takes at most one step for each of its states and each byte of a text, so
// states × bytes bounds the work in the same way on every machine.
const (
	maxMatching = 1 << 30 // steps of one run of a plan, over all patterns and texts
	atOnce      = 1 << 18 // steps between two checks of the context
)

// pattern is a compiled regular expression (001 §4) with what a match can cost.
type pattern struct {
	re      *regexp.Regexp
	literal string // every match begins with it
	whole   bool   // every text that holds it matches
	states  int
}

func newPattern(text string) (*pattern, error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		e := fault.Wrap(fault.SelectorInvalid, err, "the pattern is not a regular expression",
			"write it in the syntax of RE2")
		e.Token = text
		return nil, e
	}
	p := &pattern{re: regexp.MustCompile(text)} // parses in the same way, so it cannot panic
	parsed = parsed.Simplify()
	if parsed.Op == syntax.OpLiteral && parsed.Flags&syntax.FoldCase == 0 {
		p.literal, p.whole = string(parsed.Rune), true
		return p, nil
	}
	p.literal, _ = p.re.LiteralPrefix()
	program, err := syntax.Compile(parsed)
	if err != nil {
		return nil, fault.Wrap(fault.SelectorInvalid, err, "the pattern cannot be compiled", "write a simpler one")
	}
	p.states = len(program.Inst)
	return p, nil
}

// matches reports whether a pattern matches somewhere in a text. It makes the run
// fail with E_LIMIT before it takes more than maxMatching steps, and checks the
// context at least once in atOnce steps.
func (r *run) matches(p *pattern, text string) bool {
	if r.err != nil || !strings.Contains(text, p.literal) {
		return false
	}
	if p.whole {
		return true
	}
	work := int64(p.states) * int64(len(text))
	if r.matched += work; r.matched > maxMatching {
		r.fail(fault.At(fault.Limit, fault.NoOffset, p.re.String(),
			fmt.Sprintf("matching the regular expressions takes more than %d steps: this one has %d states, this text %d bytes",
				maxMatching, p.states, len(text)),
			"narrow the selector by a region, a depth or a kind, or write fewer repetitions"))
		return false
	}
	if r.unwatched += work; r.unwatched < atOnce {
		return p.re.MatchString(text)
	}
	r.unwatched = 0
	if err := r.ctx.Err(); err != nil {
		r.fail(err)
		return false
	}
	if work < atOnce {
		return p.re.MatchString(text)
	}
	found := p.re.MatchReader(&watchedText{run: r, text: text, every: max(atOnce/p.states, 1)})
	return found && r.err == nil
}

// watchedText gives a text to a regular expression rune by rune, and ends the text
// early when the context ends.
type watchedText struct {
	*run
	text  string
	every int // runes between two checks of the context
	read  int // runes since the last check
}

// ReadRune implements [io.RuneReader].
func (w *watchedText) ReadRune() (rune, int, error) {
	if w.read++; w.read >= w.every {
		w.read = 0
		if err := w.ctx.Err(); err != nil {
			w.fail(err)
		}
	}
	if w.text == "" || w.err != nil {
		return 0, 0, io.EOF
	}
	c, size := utf8.DecodeRuneInString(w.text)
	w.text = w.text[size:]
	return c, size, nil
}
