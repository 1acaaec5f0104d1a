package sessions

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/safefile"
	_ "modernc.org/sqlite" // the driver
)

const nameOpencode = "opencode"

// message is a message in an export of opencode.
type message struct {
	Info  json.RawMessage   `json:"info"`
	Parts []json.RawMessage `json:"parts"`
}

// opencode finds the newest sessions in the folder of opencode: in its database, which it has kept since
// version 1.2, or without one in the files that it kept before. Sessions of sub-agents are left out.
func opencode(ctx context.Context, folder string, most int) (list []Session, err error) {
	file := filepath.Join(folder, "opencode.db")
	if _, err := os.Stat(file); missing(err) {
		return inStorage(filepath.Join(folder, "storage"))
	}
	err = query(ctx, file, func(rows *sql.Rows) error {
		s := Session{Agent: nameOpencode, Path: file, Reads: true}
		var changed int64
		if err := rows.Scan(&s.ID, &s.Folder, &changed); err != nil {
			return err
		}
		s.Changed = time.UnixMilli(changed)
		list = append(list, s)
		return nil
	}, `SELECT id, directory, time_updated FROM session WHERE parent_id IS NULL ORDER BY time_updated DESC, id LIMIT ?`, most)
	return list, err
}

// query reads rows of a database of opencode, which may be running.
func query(ctx context.Context, file string, each func(*sql.Rows) error, statement string, args ...any) (err error) {
	defer func() {
		if err != nil {
			err = fault.Wrap(fault.Store, err, "the sessions of opencode in "+file+" cannot be read",
				"opencode export ID > session.json, then open that file")
		}
	}()
	at := url.URL{Scheme: "file", Path: filepath.ToSlash(file), RawQuery: "mode=ro&_pragma=busy_timeout(5000)"}
	db, err := sql.Open("sqlite", at.String())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// inDatabase reads a session.
func inDatabase(ctx context.Context, s *Session) (any, []message, error) {
	info := map[string]any{"id": s.ID, "directory": s.Folder}
	err := query(ctx, s.Path, func(rows *sql.Rows) error {
		var model, revert sql.NullString
		if err := rows.Scan(&model, &revert); err != nil {
			return err
		}
		for name, text := range map[string]string{"model": model.String, "revert": revert.String} {
			if json.Valid([]byte(text)) {
				info[name] = json.RawMessage(text)
			}
		}
		return nil
	}, `SELECT model, revert FROM session WHERE id = ?`, s.ID)
	if err != nil {
		return nil, nil, err
	}
	parts := map[string][]json.RawMessage{}
	err = query(ctx, s.Path, func(rows *sql.Rows) error {
		var id, of, data string
		if err := rows.Scan(&id, &of, &data); err != nil {
			return err
		}
		part, err := withMembers(data, map[string]string{"id": id, "messageID": of, "sessionID": s.ID})
		parts[of] = append(parts[of], part)
		return err
	}, `SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id`, s.ID)
	if err != nil {
		return nil, nil, err
	}
	messages := []message{}
	err = query(ctx, s.Path, func(rows *sql.Rows) error {
		var id, data string
		if err := rows.Scan(&id, &data); err != nil {
			return err
		}
		about, err := withMembers(data, map[string]string{"id": id, "sessionID": s.ID})
		messages = append(messages, message{about, append([]json.RawMessage{}, parts[id]...)})
		return err
	}, `SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id`, s.ID)
	return info, messages, err
}

// withMembers adds members to an object, which the database keeps in columns of their own.
func withMembers(object string, members map[string]string) (json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(object), &all); err != nil {
		return nil, err
	}
	for name, text := range members {
		value, err := json.Marshal(text)
		if err != nil {
			return nil, err
		}
		all[name] = value
	}
	return json.Marshal(all)
}

// inStorage finds sessions in a folder of JSON files.
func inStorage(storage string) (list []Session, err error) {
	err = each(storage, "session/*/*.json", func(name string, info fs.FileInfo) {
		s := Session{Agent: nameOpencode, Path: filepath.Join(storage, filepath.FromSlash(name)), Reads: true, storage: storage,
			Changed: info.ModTime()}
		var about struct{ ID, Directory, ParentID string }
		data, err := safefile.Read(s.Path, mostInfo)
		if err != nil || json.Unmarshal(data, &about) != nil || about.ID == "" || about.ParentID != "" {
			return
		}
		s.ID, s.Folder = about.ID, about.Directory
		list = append(list, s)
	})
	return list, err
}

// stored reads a session from such a folder: message/SESSION/MESSAGE.json, part/MESSAGE/PART.json. The
// ids rise with time, so the order of the names is that of the conversation.
func stored(storage string, s *Session) (any, []message, error) {
	info, err := safefile.Read(s.Path, mostInfo)
	if err != nil {
		return nil, nil, err
	}
	about, err := objects(filepath.Join(storage, "message", s.ID))
	if err != nil {
		return nil, nil, err
	}
	messages := []message{}
	for _, m := range about {
		parts, err := objects(filepath.Join(storage, "part", m.name))
		if err != nil {
			return nil, nil, err
		}
		of := message{Info: m.text, Parts: []json.RawMessage{}}
		for _, p := range parts {
			of.Parts = append(of.Parts, p.text)
		}
		messages = append(messages, of)
	}
	return json.RawMessage(info), messages, nil
}

type object struct {
	name string // without its ending
	text json.RawMessage
}

// objects reads the JSON files of a folder, in the order of their names. A folder that is missing has none.
func objects(folder string) (list []object, err error) {
	files, err := os.ReadDir(folder)
	if missing(err) {
		return nil, nil
	}
	for _, f := range files {
		name, is := strings.CutSuffix(f.Name(), ".json")
		if !is {
			continue
		}
		text, err := safefile.Read(filepath.Join(folder, f.Name()), mostInfo)
		if err != nil {
			return nil, err
		}
		if !json.Valid(text) {
			return nil, fault.New(fault.DocumentInvalid, filepath.Join(folder, f.Name())+" is no JSON",
				"move the file away, or restore it")
		}
		list = append(list, object{name, text})
	}
	return list, err
}
