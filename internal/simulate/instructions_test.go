package simulate_test

import (
	"context"
	"regexp"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/store"
)

// instructed is a run of three calls whose first has instructions, whose second answers the first and whose last answer
// no call has sent.
func instructed(t *testing.T, instructions []pact.Spec, answer, last pact.Spec) []string {
	t.Helper()
	ctx := context.Background()
	c, err := pact.Create(ctx, pact.NewDB(store.NewMemory()), "run", nil)
	must(t, err)
	said := []pact.Spec{{ID: "q", Role: "user", Kind: "text", Content: "go"}, {ID: "more", Role: "user", Kind: "text", Content: "more"},
		{ID: "again", Role: "user", Kind: "text", Content: "again"}}
	for i, q := range said {
		_, err = c.Commit(ctx, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			if i == 0 {
				for _, s := range instructions {
					b.Add("^sys", s)
				}
			}
			if i == 1 {
				b.Add("^ah", answer)
			}
			b.Add("^ah", q)
			return nil
		}})
		must(t, err)
	}
	must(t, c.Edit(ctx, func(b *pact.Batch) error { b.Add("^ah", last); return nil }, nil))
	report, err := simulate.Findings(ctx, c, simulate.Options{Counter: wordCounter{}, Prices: priced(0.1, 1.25), Model: "m", Dialect: "gemini"})
	must(t, err)
	var got []string
	for _, f := range report.Findings {
		if f.What == simulate.ToolUnused {
			if *f.Tokens <= 0 || f.Cost == nil || f.Node == "" {
				t.Errorf("%+v", f)
			}
			got = append(got, regexp.MustCompile(`\d+ tokens`).ReplaceAllString(f.Says, "N tokens"))
		}
	}
	slices.Sort(got)
	return got
}

const codexSkills = "<skills_instructions>\n## Skills\nA skill is a file.\n### Available skills\n- pdf-forms: Fill and read forms. (file: r0/pdf-forms/SKILL.md)\n" +
	"- sheets: Make tables of all kinds. (file: r0/sheets/SKILL.md)\n- slides: Make talks. (file: r0/slides/SKILL.md)\n### How to use skills\n- Trigger: name it.\n" +
	"</skills_instructions>"

var (
	codexFile = pact.Spec{ID: "agents", Role: "user", Kind: "text", Content: "# AGENTS.md instructions for /repo\n\n<INSTRUCTIONS>\nRun `make check` before you " +
		"commit.\nUse tabs in all of the files.\n</INSTRUCTIONS>\n`not its own`"}
	plain = pact.Spec{ID: "a", Role: "assistant", Kind: "text", Content: "Hello, and what now?"}
	bye   = pact.Spec{ID: "z", Role: "assistant", Kind: "text", Content: "Bye."}
)

// A skill is followed if an answer names it, as a word, as part of a path or in the arguments of a call; the last answer
// counts. What the user starts is used. Lists are those of Codex, Claude Code and opencode.
func TestFindingsOfSkillsThatNoAnswerNames(t *testing.T) {
	codex := []pact.Spec{{ID: "skills", Role: "system", Kind: "text", Content: codexSkills}}
	call := pact.Spec{ID: "c", Role: "assistant", Kind: "call", Content: map[string]any{"name": "shell", "arguments": `{"cmd":"cat\nr0/sheets/SKILL.md"}`}}
	for i, c := range []struct {
		of           []pact.Spec
		answer, last pact.Spec
		want         []string
	}{
		{codex, plain, bye, []string{"3 skills were listed with 176 B in 3 calls for N tokens, and no answer names them: pdf-forms, sheets, slides"}},
		{codex, call, pact.Spec{ID: "z", Role: "assistant", Kind: "text", Content: "I use $slides."},
			[]string{"1 skill was listed with 64 B in 3 calls for N tokens, and no answer names it: pdf-forms"}},
		{[]pact.Spec{{ID: "s", Role: "user", Kind: "text", Content: "<system-reminder>\nThe following skills are available for use with the Skill tool:\n\n" +
			"- slides: Make talks.\n- team:review: Read a change.\n</system-reminder>"}}, plain,
			pact.Spec{ID: "z", Role: "assistant", Kind: "call", Content: map[string]any{"name": "Skill", "arguments": map[string]any{"skill": "team:review"}}},
			[]string{"1 skill was listed with 22 B in 3 calls for N tokens, and no answer names it: slides"}},
		{[]pact.Spec{{ID: "s", Role: "system", Kind: "tool", Content: map[string]any{"name": "skill", "description": "Load one.\n<available_skills>\n<skill>\n" +
			"<name>slides</name>\n<description>Make talks.</description>\n</skill>\n</available_skills>"}}}, plain,
			pact.Spec{ID: "z", Role: "assistant", Kind: "call", Content: map[string]any{"name": "skill", "arguments": map[string]any{"name": "other"}}},
			[]string{"1 skill was listed with 68 B in 3 calls for N tokens, and no answer names it: slides"}},
		{append(slices.Clone(codex), pact.Spec{ID: "u", Role: "user", Kind: "text",
			Content: "<command-message>sheets is running</command-message>\n<command-name>/sheets</command-name>"},
			pact.Spec{ID: "v", Role: "user", Kind: "text", Content: "/slides about tea, not /pdf-forms"}), plain, bye,
			[]string{"1 skill was listed with 64 B in 3 calls for N tokens, and no answer names it: pdf-forms"}},
		{[]pact.Spec{{ID: "s", Role: "user", Kind: "text", Content: "Some words:\n- slides: talks\n- other: things"}}, plain, bye, nil},
	} {
		if got := instructed(t, c.of, c.answer, c.last); !slices.Equal(got, c.want) {
			t.Errorf("%d: %q\nwant %q", i, got, c.want)
		}
	}
}

// A file is followed if an answer names it, has a line of it, or all words of a piece of code in it.
func TestFindingsOfFilesThatNoAnswerFollows(t *testing.T) {
	ignored := "the instructions of AGENTS.md, 117 B, were sent with 3 calls for N tokens, and no answer names the file, has a line of it or a command in it"
	memory := pact.Spec{ID: "memory", Role: "user", Kind: "text", Content: "<system-reminder>\nContents of /home/me/CLAUDE.md (private, for all projects):\n\n" +
		"Be brief.\n\nContents of /repo/CLAUDE.md (project):\n\nAsk first.\n</system-reminder>"}
	text := func(s string) pact.Spec { return pact.Spec{ID: "a", Role: "assistant", Kind: "text", Content: s} }
	for i, c := range []struct {
		of     pact.Spec
		answer pact.Spec
		want   []string
	}{
		{codexFile, plain, []string{ignored}},
		{codexFile, text("I check and I make tea, not its own."), nil},
		{codexFile, text("I make it, as agents do. not its own"), []string{ignored}},
		{codexFile, text("As AGENTS.md says."), nil},
		{codexFile, text("Use tabs in all of the files."), nil},
		{memory, plain, []string{
			"the instructions of /home/me/CLAUDE.md, 72 B, were sent with 3 calls for N tokens, and no answer names the file, has a line of it or a command in it",
			"the instructions of /repo/CLAUDE.md, 51 B, were sent with 3 calls for N tokens, and no answer names the file, has a line of it or a command in it"}},
		{pact.Spec{ID: "o", Role: "system", Kind: "text", Content: "Instructions from: /repo/AGENTS.md\nUse `go vet`."}, text("Ran go test."),
			[]string{"the instructions of /repo/AGENTS.md, 48 B, were sent with 3 calls for N tokens, and no answer names the file, has a line of it or a command in it"}},
	} {
		if got := instructed(t, []pact.Spec{c.of}, c.answer, bye); !slices.Equal(got, c.want) {
			t.Errorf("%d: %q\nwant %q", i, got, c.want)
		}
	}
}
