package agents

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/safefile"
)

var (
	shells  = []string{"sh", "bash", "dash", "zsh"}
	shebang = regexp.MustCompile(`^#!.*\b(ba|da|z|k)?sh\b`)
	// beforeNames are words of the shell, and programs, behind which the name of a program stands.
	beforeNames = []string{"if", "then", "elif", "else", "while", "until", "do", "!", "{", "time", "exec", "command", "builtin",
		"export", "env", "nohup", "nice", "timeout", "sudo", "xargs"}
	// shellToken is a here-document and its end, a word of a shell script, a comment, the head of a function, the begin of a
	// list of values, a redirection with its file, or an operator.
	shellToken = regexp.MustCompile(`#[^\n]*|[\w-]+[ \t]*\([ \t]*\)|\w+\+?=\(|[0-9]*<<-?[ \t]*(` + shellWord + `)|[0-9]*[<>]+[&|]?[ \t]*` +
		shellWord + `|(` + shellWord + `)|\(\(|[<>]+|[\n;&|()` + "`]")
	unquoted = strings.NewReplacer("\\\n", "", `\`, "", `'`, "", `"`, "")
)

const shellWord = "(?:[^\\s;&|()<>'\"\\\\`]|\\\\(?s:.)|'[^']*'|\"(?:[^\"\\\\]|\\\\(?s:.))*\")+"

// scripts returns the shell scripts that a program runs, by their names, or the text behind sh -c.
func (p *Program) scripts() map[string]string {
	texts, runs := map[string]string{}, slices.Contains(shells, baseName(p.Args[0]))
	for i, arg := range p.Args {
		if runs && i > 0 && strings.HasPrefix(arg, "-") && strings.HasSuffix(arg, "c") && i+1 < len(p.Args) {
			return map[string]string{p.Args[0] + " " + arg: p.Args[i+1]}
		}
		file := arg
		if path, err := exec.LookPath(arg); err == nil && i == 0 {
			file = path
		}
		text, err := safefile.Read(file, 1<<20)
		if err == nil && (shebang.Match(text) || slices.Contains([]string{".sh", ".bash"}, filepath.Ext(file)) || runs && i > 0) {
			texts[arg], runs = string(text), false // what follows are its arguments
		}
	}
	return texts
}

// commands returns the simple commands of a shell script, each as its words without quotes. It tells what is run from
// arguments, comments, values, patterns of case and here-documents, and knows no more of the language. Cost: O(len(text)).
func commands(text string) (list [][]string) {
	var words, ends []string
	var outer [][]string // commands that have this one in parentheses
	pipe, values, tick := 0, false, false
	for at := shellToken.FindStringSubmatchIndex(text); at != nil; at = shellToken.FindStringSubmatchIndex(text) {
		token := text[at[0]:at[1]]
		text = text[at[1]:]
		switch {
		case at[2] >= 0:
			ends = append(ends, unquoted.Replace(strings.TrimLeft(token, "0123456789<- \t")))
		case at[4] >= 0:
			if _, inner, is := strings.Cut(token, "$("); is && strings.Contains(token, `"`) {
				list = append(list, commands(": $("+inner)...)
			}
			words = append(words, unquoted.Replace(token))
		case token == "((" || strings.HasSuffix(token, "=("): // what follows is computed with, or a value
			for range strings.Count(token, "(") {
				outer, words = append(outer, words), []string{"("}
			}
			values = token != "(("
		case token == "(" || token == "`" && !tick:
			outer, words, tick = append(outer, words), nil, tick || token != "("
		case (token == ")" || token == "`") && len(outer) > 0:
			list, words, outer = append(list, words), outer[len(outer)-1], outer[:len(outer)-1]
			values, tick = false, tick && token != "`"
		case token[0] != '#' && strings.HasSuffix(token, ")"): // patterns of case, or the head of a function
			list, words = list[:pipe], nil
		case strings.Contains("\n;&|", token) && !values:
			if list, words = append(list, words), nil; token != "|" {
				pipe = len(list)
			}
			for ; token == "\n" && len(ends) > 0; ends = ends[1:] {
				for line, is := "", true; is && strings.TrimLeft(line, "\t") != ends[0]; {
					line, text, is = strings.Cut(text, "\n")
				}
			}
		}
	}
	return append(append(list, outer...), words)
}

// scripted looks in shell scripts for agents whose calls do not name them, as those of aider, so that [Program.Misled]
// would let them pass. E_DOCUMENT_INVALID if one would call another address than this program. One that takes no address
// from a variable, or may start in another folder, whose settings come before the variables, may go unrecorded: Note says
// so. It does not see what a script in another language starts.
func (p *Program) scripted() error {
	texts := p.scripts()
	for _, script := range names(texts) {
		env, moves := maps.Clone(p.given), false
		for _, words := range commands(texts[script]) {
			behind := false
			at := slices.IndexFunc(words, func(word string) bool {
				name, value, is := strings.Cut(word, "=")
				if is = is && bareKey.MatchString(name) && name[0] != '-'; is {
					env[name] = os.Expand(value, func(name string) string { return env[name] })
				}
				before := slices.Contains(beforeNames, word)
				option := behind && strings.IndexAny(word, "-0123456789") == 0 && strings.ToLower(word) != "-v"
				behind = behind || before
				return word != "" && !is && !before && !option
			})
			if at < 0 {
				continue
			}
			words = words[at:]
			moves = moves || words[0] == "cd" || words[0] == "pushd"
			name, at := named(words)
			a := agentOf(name)
			runs := at == 0 || words[at-1] == "-m" || slices.Contains([]string{"npx", "bunx", "uv", "uvx"}, words[0])
			if !runs || a.names == nil || a.mark != "" {
				continue
			}
			switch why := p.misledOf(words[at:], env); {
			case a.refused != "":
				p.Warns, p.Note = true, script+" starts "+name+", which takes addresses from its own settings only: pact may not see its calls"
			case why != "":
				return unknown(script+" starts "+why, "or give the script the same address in the environment of the run")
			case moves:
				p.Warns, p.Note = true, script+" changes the folder and starts "+name+", whose settings there may lead its calls past pact"
			}
		}
	}
	return nil
}
