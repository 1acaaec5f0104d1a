package sessions_test

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/record/sessions"
	"github.com/contexttree/pact/internal/testrun"
)

// export is a session as `opencode export` writes it.
type export struct {
	Info     map[string]json.RawMessage
	Messages []struct {
		Info  map[string]json.RawMessage
		Parts []map[string]json.RawMessage
	}
}

func sample(t *testing.T) (text []byte, e export) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "calllog", "testdata", "opencode-export.json"))
	must(t, err)
	must(t, json.Unmarshal(text, &e))
	return text, e
}

// write makes a file that was changed a number of minutes after the beginning of 2026.
func write(t *testing.T, name, text string, minutes int) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o700))
	must(t, os.WriteFile(name, []byte(text), 0o600))
	at := time.Date(2026, 1, 1, 0, minutes, 0, 0, time.UTC)
	must(t, os.Chtimes(name, at, at))
}

// Sessions are found where the variables of the agents say, else below the home, the newest first.
func TestSessionsAreFoundWhereAgentsKeepThem(t *testing.T) {
	home, other := t.TempDir(), t.TempDir()
	write(t, home+"/.claude/projects/-w/aaaa.jsonl", `{"type":"user","cwd":"/w/\"x\""}`, 1)
	write(t, home+"/.claude/projects/-w/agent-1.jsonl", `{}`, 9) // of a sub-agent
	write(t, home+"/.claude/projects/-w/aaaa/subagents/agent-2.jsonl", `{}`, 9)
	write(t, home+"/.codex/sessions/2026/01/01/rollout-2026-01-01T00-02-00-01a2026f-b044-7ec2-8350-bfaab38aa684.jsonl",
		`{"type":"session_meta","payload":{"cwd":"/c"}}`, 2)
	write(t, home+"/.gemini/tmp/w/chats/session-2026-01-01T00-03-abc.jsonl", `{}`, 3)
	write(t, home+"/.pi/agent/sessions/--w--/2026_bbbb.jsonl", `{"type":"session","cwd":"/p"}`, 4)
	write(t, home+"/.local/share/opencode/storage/session/global/ses_1.json", `{"id":"ses_1","directory":"/o"}`, 5)
	write(t, home+"/.local/share/opencode/storage/session/global/ses_2.json", `{"id":"ses_2","parentID":"ses_1"}`, 9)
	write(t, other+"/projects/-w/cccc.jsonl", `{}`, 1)
	write(t, other+"/opencode/storage/session/p/ses_3.json", `{"id":"ses_3"}`, 2)

	found := func(most int, env map[string]string) (list [][3]string) {
		t.Helper()
		all, err := sessions.Newest(t.Context(), env, most)
		must(t, err)
		for _, s := range all {
			list = append(list, [3]string{s.Agent, s.ID, s.Folder})
		}
		return list
	}
	all := [][3]string{{"opencode", "ses_1", "/o"}, {"pi", "2026_bbbb", "/p"},
		{"Gemini CLI", "session-2026-01-01T00-03-abc", ""}, {"Codex", "01a2026f-b044-7ec2-8350-bfaab38aa684", "/c"},
		{"Claude Code", "aaaa", `/w/"x"`}}
	if list := found(9, map[string]string{"HOME": home}); !reflect.DeepEqual(list, all) {
		t.Errorf("found %q", list)
	}
	if list := found(2, map[string]string{"HOME": home}); !reflect.DeepEqual(list, all[:2]) {
		t.Errorf("the newest two are %q", list)
	}
	env := map[string]string{"HOME": home, "CLAUDE_CONFIG_DIR": other, "XDG_DATA_HOME": other, "CODEX_HOME": other,
		"PI_CODING_AGENT_DIR": other, "GEMINI_CLI_HOME": other}
	if list := found(9, env); !reflect.DeepEqual(list, [][3]string{{"opencode", "ses_3", ""}, {"Claude Code", "cccc", ""}}) {
		t.Errorf("elsewhere are %q", list)
	}
	if list := found(9, map[string]string{"HOME": filepath.Join(home, "none")}); list != nil {
		t.Errorf("nowhere are %q", list)
	}
}

// A session that opencode keeps in its database, or in files as before, has the calls of its export.
func TestSessionsOfOpencodeAreReadAsTheirExport(t *testing.T) {
	text, _ := sample(t)
	want, err := calllog.Read(text)
	must(t, err)
	for name, make := range map[string]func(*testing.T, string, export){"database": database, "files": files} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			_, e := sample(t)
			make(t, filepath.Join(data, "opencode"), e)
			list, err := sessions.Newest(t.Context(), map[string]string{"XDG_DATA_HOME": data, "HOME": data}, 9)
			must(t, err)
			if len(list) != 1 || !list[0].Reads {
				t.Fatalf("found %+v", list)
			}
			got, err := list[0].Text(t.Context())
			must(t, err)
			have, err := calllog.Read(got)
			must(t, err)
			if len(have.Sessions[0].Calls) < 2 || !reflect.DeepEqual(have.Sessions, want.Sessions) {
				t.Errorf("it is read as\n%+v\nits export as\n%+v", have.Sessions, want.Sessions)
			}
		})
	}
}

// database makes the tables of opencode 1.18, as far as pact reads them.
func database(t *testing.T, folder string, e export) {
	must(t, os.MkdirAll(folder, 0o700))
	db, err := sql.Open("sqlite", filepath.Join(folder, "opencode.db"))
	must(t, err)
	do := func(statement string, args ...any) {
		t.Helper()
		_, err := db.Exec(statement, args...)
		must(t, err)
	}
	do(`CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text NOT NULL, model text, revert text, time_updated integer)`)
	do(`CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text)`)
	do(`CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, data text)`)
	id := word(e.Info["id"])
	do(`INSERT INTO session VALUES (?, NULL, '/w', ?, ?, 1)`, id, column(e.Info["model"]), column(e.Info["revert"]))
	do(`INSERT INTO session VALUES ('ses_child', ?, '/w', NULL, NULL, 2)`, id)
	for i, m := range e.Messages {
		of := word(m.Info["id"])
		delete(m.Info, "id")
		delete(m.Info, "sessionID")
		do(`INSERT INTO message VALUES (?, ?, ?, ?)`, of, id, i, text(t, m.Info))
		for j, p := range m.Parts {
			do(`INSERT INTO part VALUES (?, ?, ?, ?)`, number(i*1000+j), of, id, text(t, p))
		}
	}
	must(t, db.Close())
}

// files makes the folders of opencode before version 1.2.
func files(t *testing.T, folder string, e export) {
	id := word(e.Info["id"])
	write(t, folder+"/storage/session/global/"+id+".json", text(t, e.Info), 1)
	for i, m := range e.Messages {
		// the ids of opencode rise with time; those of the sample need not
		write(t, folder+"/storage/message/"+id+"/"+number(i)+".json", text(t, m.Info), 1)
		for j, p := range m.Parts {
			write(t, folder+"/storage/part/"+number(i)+"/"+number(j)+".json", text(t, p), 1)
		}
	}
}

// A database that is none is an error that names it, and the sessions of other agents are found.
func TestADatabaseOfOpencodeThatIsDamagedIsNamed(t *testing.T) {
	data := t.TempDir()
	write(t, data+"/opencode/opencode.db", "no database at all, but long enough to be looked at", 1)
	write(t, data+"/.claude/projects/-w/aaaa.jsonl", `{}`, 1)
	list, err := sessions.Newest(t.Context(), map[string]string{"XDG_DATA_HOME": data, "HOME": data}, 9)
	if fault.CodeOf(err) != fault.Store {
		t.Errorf("it is %v", err)
	}
	if len(list) != 1 || list[0].ID != "aaaa" {
		t.Errorf("beside it are %+v", list)
	}
}

func TestASessionIsFoundByItsIDOrTheBeginningOfIt(t *testing.T) {
	list := []sessions.Session{{ID: "12345678-abc"}, {ID: "12345678-b"}, {ID: "12345678"}, {ID: "ab"}}
	for id, want := range map[string]string{"12345678-abc": "12345678-abc", "12345678-a": "12345678-abc", "12345678-": "",
		"12345678": "12345678", "1234567": "", "1": "", "ab": "ab", "a": "", "": "", "x": ""} {
		got := ""
		if s := sessions.ByID(list, id); s != nil {
			got = s.ID
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", id, got, want)
		}
	}
}

func number(n int) string { return time.Unix(int64(n), 0).UTC().Format("20060102150405") }

func word(text json.RawMessage) (s string) {
	_ = json.Unmarshal(text, &s)
	return s
}

func column(value json.RawMessage) any {
	if value == nil {
		return nil
	}
	return string(value)
}

func text(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	must(t, err)
	return string(data)
}

var must = testrun.Must
