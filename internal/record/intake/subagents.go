package intake

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/safefile"
)

// Uncompressed returns the name of a file without the ending that tells its compression.
func Uncompressed(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
}

// AddSubAgents adds the sessions of the sub-agents to a transcript of Claude Code, whose file has a
// name. Beside ID.jsonl their transcripts are ID/subagents/agent-*.jsonl, each plain or compressed.
// One that read refuses is left out, and a finding says so: it may have just been begun.
func AddSubAgents(name string, log *calllog.Log, read func(path string) (*calllog.Log, error)) error {
	if log.Format != calllog.ClaudeCode || len(log.Sessions) != 1 {
		return nil
	}
	beside := Uncompressed(name)
	beside = filepath.Join(strings.TrimSuffix(beside, filepath.Ext(beside)), "subagents")
	files, err := os.ReadDir(beside)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil // a transcript without an extension would be the directory itself
		}
		return err
	}
	taken := map[string]bool{}
	for _, f := range files { // sorted: a plain file comes before the same one compressed
		id, isAgent := strings.CutSuffix(Uncompressed(f.Name()), ".jsonl")
		if !isAgent || !strings.HasPrefix(id, "agent-") || taken[id] {
			continue
		}
		taken[id] = true
		of, err := read(filepath.Join(beside, f.Name()))
		if err != nil {
			log.Findings = append(log.Findings, inspect.Finding{Code: fault.DocumentInvalid,
				Message: f.Name() + " was left out: " + err.Error()})
			continue
		}
		s := of.Sessions[0]
		s.Name = id
		log.Sessions = append(log.Sessions, s)
		for _, found := range of.Findings {
			found.Message = f.Name() + ": " + found.Message
			log.Findings = append(log.Findings, found)
		}
	}
	if err := begunBy(beside, log.Sessions); err != nil {
		return err
	}
	parentsFirst(log.Sessions)
	return nil
}

// parentsFirst puts each sub-agent behind the one that began it: its import looks for the block
// of the call.
func parentsFirst(sessions []calllog.Session) {
	depth := func(s calllog.Session) (n int) {
		for s.BegunBy != nil && n < len(sessions) {
			parent := slices.IndexFunc(sessions, func(of calllog.Session) bool { return of.Name == s.BegunBy.Session })
			if parent < 0 {
				break
			}
			s = sessions[parent]
			n++
		}
		return n
	}
	depths := map[string]int{}
	for _, s := range sessions {
		depths[s.Name] = depth(s)
	}
	slices.SortStableFunc(sessions, func(a, b calllog.Session) int { return depths[a.Name] - depths[b.Name] })
}

// begunBy names the calls that began the sessions of sub-agents, which stand behind the first, as the files beside their
// transcripts have them. The call may be another sub-agent's. Each call is read once.
func begunBy(beside string, all []calllog.Session) error {
	var waiting []*calllog.Session // whose call was not found yet
	for i := range all[1:] {
		s := &all[i+1]
		data, err := safefile.Read(filepath.Join(beside, s.Name+".meta.json"), MaxText)
		if errors.Is(err, fs.ErrNotExist) {
			continue // earlier versions did not write it
		}
		if err != nil {
			return err
		}
		var about struct{ ToolUseID string }
		if json.Unmarshal(data, &about) == nil && about.ToolUseID != "" {
			s.BegunBy = &calllog.ParentCall{Call: about.ToolUseID}
			waiting = append(waiting, s)
		}
	}
	for i := range all {
		for j := 0; j < len(all[i].Calls) && len(waiting) > 0; j++ {
			call, err := all[i].Calls[j].Load()
			if err != nil {
				return err
			}
			waiting = slices.DeleteFunc(waiting, func(s *calllog.Session) bool {
				id, _ := json.Marshal(s.BegunBy.Call)
				began := all[i].Name != s.Name && bytes.Contains(call.Answer, append([]byte(`"id":`), id...))
				if began {
					s.BegunBy.Session = all[i].Name
				}
				return began
			})
		}
	}
	return nil
}
