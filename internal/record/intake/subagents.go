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
	for i := range log.Sessions[1:] {
		s := &log.Sessions[i+1]
		if err := beganBy(filepath.Join(beside, s.Name+".meta.json"), s, log.Sessions); err != nil {
			return err
		}
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

// beganBy names the call that began the session of a sub-agent, as the file
// beside its transcript has it. The call may be another sub-agent's.
func beganBy(meta string, s *calllog.Session, all []calllog.Session) error {
	data, err := safefile.Read(meta, MaxText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // earlier versions did not write it
	}
	if err != nil {
		return err
	}
	var about struct{ ToolUseID string }
	if json.Unmarshal(data, &about) != nil || about.ToolUseID == "" {
		return nil
	}
	s.BegunBy = &calllog.ParentCall{Call: about.ToolUseID}
	id, _ := json.Marshal(about.ToolUseID)
	for i := range all {
		for j := range all[i].Calls {
			if all[i].Name == s.Name {
				continue
			}
			call, err := all[i].Calls[j].Load()
			if err != nil {
				return err
			}
			if bytes.Contains(call.Answer, append([]byte(`"id":`), id...)) {
				s.BegunBy.Session = all[i].Name
				return nil
			}
		}
	}
	return nil
}
