package tokens

import (
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
)

// Counter counts the tokens of texts by one rule. It is deterministic and safe
// for concurrent use.
type Counter struct {
	name     string
	encoding *encoding // nil where bytes are counted
}

// approximately is how the name of a counter begins that only estimates.
const approximately = "approx:"

var (
	o200k     = &Counter{"o200k_base", o200kBase}
	cl100k    = &Counter{"cl100k_base", cl100kBase}
	likeO200k = &Counter{approximately + "o200k_base", o200kBase}
	quarter   = &Counter{approximately + "bytes/4", nil}
)

var counters = []*Counter{o200k, cl100k, likeO200k, quarter}

// families maps the beginnings of model names to counters. A longer beginning comes
// before a shorter one that it contains.
var families = []struct {
	name    string
	counter *Counter
}{
	{"gpt-5", o200k},
	{"gpt-4.5", o200k},
	{"gpt-4.1", o200k},
	{"gpt-4o", o200k},
	{"chatgpt-4o", o200k},
	{"gpt-oss", o200k},
	{"o1", o200k},
	{"o3", o200k},
	{"o4", o200k},
	{"gpt-4", cl100k},
	{"gpt-3.5-turbo", cl100k},
	{"claude", likeO200k},
	{"gemini", likeO200k},
	{"llama", likeO200k},
	{"mistral", likeO200k},
	{"deepseek", likeO200k},
	{"qwen", likeO200k},
}

// Names lists the counters and then the families of models that [Named] knows.
func Names() []string {
	names := make([]string, 0, len(counters)+len(families))
	for _, c := range counters {
		names = append(names, c.name)
	}
	for _, f := range families {
		names = append(names, f.name)
	}
	return names
}

// Named returns a counter by its name or by the name of a model. A model's name is that of
// a family, or begins with one, such as gpt-4o-mini or claude-sonnet-4. A model whose maker
// publishes no vocabulary gets an approximation. Any other name is E_DOCUMENT_INVALID.
func Named(name string) (*Counter, error) {
	for _, c := range counters {
		if c.name == name {
			return c, nil
		}
	}
	for _, f := range families {
		rest, found := strings.CutPrefix(name, f.name)
		if found && (f.counter.approximate() || rest == "" || rest[0] == '-' || rest[0] == '.') {
			return f.counter, nil
		}
	}
	e := fault.New(fault.DocumentInvalid, "no tokenizer and no model has the name "+strconv.Quote(name),
		"take one of "+strings.Join(Names(), ", ")+", or a model whose name begins with one of them, such as gpt-4o-mini")
	e.Token = name
	return nil, e
}

// Name returns the name of the counter, under which programs store counts: that of the
// encoding, after "approx:" for an approximation. [Named] accepts it.
func (c *Counter) Name() string { return c.name }

// approximate reports whether the counts are estimates that no model uses exactly.
func (c *Counter) approximate() bool { return strings.HasPrefix(c.name, approximately) }

// Count returns the number of tokens of text, from 1 to its length in bytes, 0
// only for the empty text. Names of special tokens are text like any other.
// Bytes that are not UTF-8 are counted as they are.
//
// Cost: linear in the text except for the logarithm of its longest piece; up to 40
// bytes of memory for each byte of that piece, and never more than 160 MiB.
func (c *Counter) Count(text string) int {
	if c.encoding == nil {
		return (len(text) + 3) / 4
	}
	return c.encoding.count(text)
}
