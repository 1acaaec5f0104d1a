package agents

import (
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// shells run the text behind -c, or a script.
var shells = []string{"sh", "bash", "dash", "zsh"}

// mostScript is how many bytes of a script are looked at.
const mostScript = 1 << 20

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
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			continue
		}
		f, err := os.Open(file)
		if err != nil {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(f, mostScript))
		_ = f.Close() // it was only read
		first, _, _ := strings.Cut(string(text), "\n")
		named := strings.HasPrefix(first, "#!") && strings.HasSuffix(strings.TrimSpace(first), "sh")
		if err == nil && (named || slices.Contains([]string{".sh", ".bash"}, filepath.Ext(file)) || runs && i > 0) {
			texts[arg] = string(text)
		}
	}
	return texts
}

// scripted looks in shell scripts for agents whose calls do not name them, as those of aider, so that [Program.Misled]
// would let them pass. E_DOCUMENT_INVALID if one would call another address than this program, or may start in another
// folder, whose settings count. It does not see what a script in another language starts.
func (p *Program) scripted() error {
	texts := p.scripts()
	for _, script := range names(texts) {
		env, moves := maps.Clone(p.given), false
		for line := range strings.Lines(texts[script]) {
			words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r\n;&|()`", r) })
			for i, word := range words {
				if strings.HasPrefix(word, "#") {
					break
				}
				words[i] = strings.Trim(word, `'"`)
				if name, value, is := strings.Cut(words[i], "="); is && bareKey.MatchString(name) && name[0] != '-' {
					env[name] = strings.Trim(value, `'"`)
				}
				moves = moves || words[i] == "cd" || words[i] == "pushd"
			}
			for i, word := range words {
				a := agentOf(baseName(word))
				if strings.HasPrefix(word, "#") {
					break
				}
				if a.names == nil || a.mark != "" {
					continue
				}
				if moves {
					return unknown(script+" changes the folder and starts "+a.names[0]+", whose settings there pact does not look for",
						"go to that folder, and start it as pact run -- "+a.names[0])
				}
				if why := p.misledOf(words[i:], env); why != "" {
					return unknown(script+" starts "+why, "or give the script the same address in the environment of the run")
				}
			}
		}
	}
	return nil
}
