package simulate

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
)

// instruction is a skill or a file of instructions in a block that an agent sends: AGENTS.md, a memory file.
type instruction struct {
	skill bool
	name  string   // of the skill; the path of the file
	bytes int      // of its text in the block
	spans []string // what its text has between backticks, such as commands
}

// How agents begin a list of skills, each of them, and a file: Claude Code, Codex, opencode.
var (
	skillList = manage.Compiled(`(?i)(available skills|skills are available|<available_skills>)`)
	skillLine = manage.Compiled(`^\s*[-*] \W*([\w.:-]{3,64}?)\W{0,4}: \S`)
	skillName = manage.Compiled(`<name>\s*([\w.:-]{3,64})\s*</name>`)
	fileLine  = manage.Compiled(`^\s*(?:#+ (\S+\.md) instructions\b|Contents of (/.{1,400}?\.md)(?: \(.*\))?:\s*$|` +
		`Instructions from: (\S.{0,400}?\.md)\s*$)`)
	codeSpan = manage.Compiled("`([^`\n]{3,100})`")
	// started is a skill that the user starts, as a message begins or as Claude Code writes it.
	started = manage.Compiled(`(?:^\s*[/$]([\w.:-]{3,64})(?:\s|$)|<command-name>\s*/?([\w.:-]{3,64})\s*</command-name>)`)
	aWord   = manage.Compiled(`[A-Za-z0-9_][A-Za-z0-9_.:-]*`)
)

// instructionsIn returns the skills and files that a text has. A list of skills ends with a heading or a closing tag, a
// file with the next one or with its tag. Cost: linear in the text.
func instructionsIn(text string) (list []instruction) {
	const (
		nothing = iota
		skills
		file
	)
	in := nothing
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		f := fileLine().FindStringSubmatch(line)
		switch {
		case f != nil:
			in = file
			list = append(list, instruction{name: f[1] + f[2] + f[3]})
		case skillList().MatchString(line):
			in = skills
			continue
		case in == skills && (strings.HasPrefix(bare, "#") || bare == "</available_skills>" || strings.HasPrefix(bare, "</system")),
			in == file && (bare == "</INSTRUCTIONS>" || strings.HasPrefix(bare, "</system")):
			in = nothing
		case in == skills:
			name := skillName().FindStringSubmatch(line)
			if name == nil {
				name = skillLine().FindStringSubmatch(line)
			}
			if name != nil {
				list = append(list, instruction{skill: true, name: name[1]})
			}
		}
		if n := len(list); in != nothing && n > 0 && list[n-1].skill == (in == skills) {
			of := &list[n-1]
			if of.bytes += len(line); !of.skill {
				for _, span := range codeSpan().FindAllStringSubmatch(line, -1) {
					of.spans = append(of.spans, span[1])
				}
			}
		}
	}
	return list
}

// stringsIn calls a function with each text of a content, also in JSON in a text.
func stringsIn(v canon.Any, take func(string)) {
	if v.Kind == canon.KindString {
		if inner, err := canon.ParseAny([]byte(v.Text)); err == nil && len(inner.Members) > 0 {
			stringsIn(inner, take)
			return
		}
		take(v.Text)
	}
	for _, e := range v.Elems {
		stringsIn(e, take)
	}
	for _, m := range v.Members {
		stringsIn(m.Value, take)
	}
}

// noteWords notes the words of an answer.
func (f *finder) noteWords(n *tree.Node) {
	content, _ := n.Content.Value(f.run.ctx)
	stringsIn(content.Any(), func(text string) { note(f.said, text) })
}

// note notes the words of a text, each also without what stands before and behind a colon or a point in it.
func note(said map[string]bool, text string) {
	for _, word := range aWord().FindAllString(text, -1) {
		word = strings.TrimRight(word, ".:-")
		said[word] = true
		for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '.' || r == ':' }) {
			said[part] = true
		}
	}
}

// instructions returns the instructions in a block, if it may have any: one that is no answer and no result. It notes
// the skills that the user starts there.
func (f *finder) instructions(n *tree.Node) (list []instruction) {
	role := n.RoleIn(tree.Seq)
	if role == "assistant" || n.Kind == toolcall.Result || n.Kind == toolcall.Call {
		return nil
	}
	content, _ := n.Content.Value(f.run.ctx)
	stringsIn(content.Any(), func(text string) {
		list = append(list, instructionsIn(text)...)
		if role == "user" {
			for _, m := range started().FindAllStringSubmatch(text, -1) {
				note(f.started, m[1]+m[2])
			}
		}
	})
	return list
}

// names reports whether an answer has every word of a text.
func (f *finder) names(text string) bool {
	words := aWord().FindAllString(text, -1)
	return len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool { return !f.said[strings.TrimRight(word, ".:-")] })
}

// follows reports whether an answer may have followed an instruction that stands in a block, as far as its bytes say: it
// names the skill or the file, or has a line of the block or all words of a piece of code in the file.
func (f *finder) follows(of *instruction, c *carried) bool {
	if of.skill {
		return f.names(of.name) || f.started[of.name]
	}
	return c.quoted || f.names(path.Base(strings.ReplaceAll(of.name, `\`, "/"))) || slices.ContainsFunc(of.spans, f.names)
}

// ignored returns findings about the skills that no answer names, and about the files that none follows.
func (f *finder) ignored() (list []Finding) {
	type sum struct {
		Finding
		instruction
		calls int64
	}
	var sums []*sum
	at := map[string]*sum{}
	followed := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(f.carried)) { // sums of money depend on the order
		c := f.carried[id]
		for i := range c.has {
			of := &c.has[i]
			key := fmt.Sprint(of.skill, of.name)
			followed[key] = followed[key] || f.follows(of, c)
			share := float64(of.bytes) / float64(max(c.node.Content.Size(), of.bytes))
			part := *c
			part.tokens, part.total = int64(float64(c.tokens)*share+0.5), c.total*share
			paid := f.paid(&part)
			s := at[key]
			if s == nil {
				s = &sum{Finding: Finding{What: ToolUnused, Node: id, Tokens: new(int64)}, instruction: *of}
				at[key], sums = s, append(sums, s)
			}
			s.calls += c.calls
			s.add(&paid)
		}
	}
	sums = slices.DeleteFunc(sums, func(s *sum) bool { return followed[fmt.Sprint(s.skill, s.name)] })
	slices.SortFunc(sums, func(a, b *sum) int { return cmp.Or(cmp.Compare(*b.Tokens, *a.Tokens), cmp.Compare(a.name, b.name)) })
	skills, names, calls, size := Finding{What: ToolUnused, Tokens: new(int64)}, []string{}, int64(0), 0
	for _, s := range sums {
		if s.skill {
			skills.Node = cmp.Or(skills.Node, s.Node)
			skills.add(&s.Finding)
			names, calls, size = append(names, s.name), max(calls, s.calls), size+s.bytes
			continue
		}
		s.Says = fmt.Sprintf("the instructions of %s, %s, were sent with %s for %s, and no answer names the file, has a line of it or "+
			"a command in it", view.Visible(s.name), view.Size(int64(s.bytes)), view.Plural(int(s.calls), "call"), tokens(*s.Tokens))
		list = append(list, s.Finding)
	}
	if len(names) > 0 {
		skills.Says = fmt.Sprintf("%s listed with %s in %s for %s, and no answer names %s: %s", were(len(names), "skill"), view.Size(int64(size)),
			view.Plural(int(calls), "call"), tokens(*skills.Tokens), map[bool]string{true: "it", false: "them"}[len(names) == 1], firstOf(names))
		list = append(list, skills)
	}
	return list
}

// add adds the tokens and the cost of another finding.
func (f *Finding) add(other *Finding) {
	*f.Tokens += *other.Tokens
	if other.Cost != nil {
		paid := valueOf(f.Cost) + *other.Cost
		f.Cost = &paid
	}
}

// were says how many of something were.
func were(n int, what string) string {
	if n == 1 {
		return view.Plural(n, what) + " was"
	}
	return view.Plural(n, what) + " were"
}

// firstOf names the first of a list.
func firstOf(names []string) string {
	const named = 5
	which := view.Visible(strings.Join(names[:min(named, len(names))], ", "))
	if more := len(names) - named; more > 0 {
		which += fmt.Sprintf(" and %d more", more)
	}
	return which
}
