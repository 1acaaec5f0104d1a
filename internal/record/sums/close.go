package sums

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
)

// Close returns the sums and a finding for each that differs. named reports whether another finding is about a line
// already; then what is missing of that line is not named again.
func (b *Book) Close(named func(line int) bool) (*Sums, []inspect.Finding) {
	s := &Sums{Notes: slices.Clone(b.notes)}
	var list []inspect.Finding
	differs := func(line int, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if line > 0 {
			text = "line " + strconv.Itoa(line) + ": " + text
		}
		list = append(list, inspect.Finding{Code: fault.DocumentInvalid, Message: text})
	}
	silent := 0
	for _, r := range b.records {
		s.Records.File++
		if r.says || named(r.line) {
			s.Records.Read++
		} else if silent == 0 {
			silent = r.line
		}
	}
	if n := s.Records.File - s.Records.Read; n > 0 {
		differs(silent, "nothing was read of %s", plural(n, "record"))
	}
	unnamed, line := b.unread(named)
	s.Messages = Sum{b.messages, b.messages - int64(len(b.missing))}
	if unnamed > 0 {
		differs(line, "%d of %s of the file %s in no request and no answer", unnamed, plural(s.Messages.File, "message"),
			are(unnamed))
	}
	s.Calls = compare(b.calls, b.readCalls, 0, named, "call of a tool", "calls of tools", differs)
	s.Results = compare(b.results, b.readResults, b.unnamed, named, "result of a tool", "results of tools", differs)
	b.numbers(s, named, differs)
	return s, list
}

// compare counts the ids of the file and those that were read. unnamed is how many more the file has without an id.
func compare(file, read ids, unnamed int, named func(int) bool, one, many string, differs func(int, string, ...any)) Sum {
	sum := Sum{File: int64(len(file))}
	missing, first := 0, 0
	for k, line := range file {
		if _, is := read[k]; is {
			sum.Read++
		} else if !named(line) {
			missing++
			if first == 0 || line < first {
				first = line
			}
		}
	}
	if missing == 1 {
		differs(first, "a %s is in no request and no answer", one)
	} else if missing > 1 {
		differs(first, "%d %s are in no request and no answer", missing, many)
	}
	more := int64(len(read)) - sum.Read
	without := min(int64(unnamed), more)
	sum.File, sum.Read, more = sum.File+int64(unnamed), sum.Read+without, more-without
	if missing := int64(unnamed) - without; missing > 0 {
		differs(0, "%d more %s are in no request and no answer", missing, many)
	}
	if more > 0 {
		sum.Read += more
		what := many
		if more == 1 {
			what = one
		}
		differs(0, "what was read has %d %s that the file does not have", more, what)
	}
	return sum
}

// numbers compares tokens and money. What a line counts that another finding names is no difference.
func (b *Book) numbers(s *Sums, named func(int) bool, differs func(int, string, ...any)) {
	var file, explained tokens
	var money, explainedMoney float64
	for _, id := range b.order {
		if file.add(b.tokens[id].Usage); named(b.tokens[id].line) {
			explained.add(b.tokens[id].Usage)
		}
	}
	for _, p := range b.prices {
		if money += p.dollars; named(p.line) {
			explainedMoney += p.dollars
		}
	}
	s.In, s.Out = Sum{file.in, b.readTokens.in}, Sum{file.out, b.readTokens.out}
	s.Cached, s.Written = Sum{file.cached, b.readTokens.cached}, Sum{file.written, b.readTokens.written}
	s.Money = Money{cents(money), cents(b.readMoney)}
	counts := []struct {
		name      string
		sum       Sum
		explained int64
		total     *int64
	}{{"tokens in", s.In, explained.in, nil}, {"tokens out", s.Out, explained.out, nil},
		{"tokens from the cache", s.Cached, explained.cached, nil}, {"tokens to the cache", s.Written, explained.written, nil}}
	dollars := ""
	if t := b.total; t != nil {
		counts[0].total, counts[1].total, counts[2].total, dollars = t.In, t.Out, t.Cached, t.Dollars
	}
	if t := b.total; t != nil && t.Calls != nil && *t.Calls != s.Calls.File {
		differs(0, "altogether the file says %d calls of tools, it has %d", *t.Calls, s.Calls.File)
	}
	for _, c := range counts {
		if c.sum.File != c.sum.Read && c.sum.File-c.explained != c.sum.Read {
			differs(0, "the file counts %d %s, the answers that were read %d", c.sum.File, c.name, c.sum.Read)
		}
		if c.total != nil && *c.total != c.sum.File {
			differs(0, "altogether the file says %d %s, its answers add up to %d", *c.total, c.name, c.sum.File)
		}
	}
	if s.Money.File != s.Money.Read && cents(money-explainedMoney) != s.Money.Read {
		differs(0, "the file counts %v dollars, the answers that were read %v", s.Money.File, s.Money.Read)
	}
	if all := cents(Amount(dollars)); dollars != "" && all != s.Money.File {
		differs(0, "altogether the file says %v dollars, its answers add up to %v", all, s.Money.File)
	}
}

func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.FormatInt(n, 10) + " " + word + "s"
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
