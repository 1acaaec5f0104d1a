package document_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
)

func TestDocumentsOfEdition1(t *testing.T) {
	ctx := context.Background()
	s, findings, err := pact.ReadSnapshot([]byte(`{"spec_version":"PACT/1.0.0","flat_log":[{"tag":"system","content":"R"},
		{"tag":"user","content":"Hello"}]}`), "")
	must(t, err)
	for query, want := range map[string]int{"^sys .block +system": 1, "^ah .cont > .block +user": 1} {
		if ids, err := s.Select(ctx, query, nil); err != nil || len(ids) != want || len(findings) > 0 {
			t.Errorf("%s: %v, %v, %v", query, ids, findings, err)
		}
	}
	gone := `{"spec_version":"PACT/1.0.0","root":{"children":[{"nodeType":"^sys","children":[
		{"id":"b","nodeType":"block","ttl":-1,"content":"x"}]}]}}`
	c, findings, err := pact.Import(ctx, pact.NewDB(store.NewMemory()), "c", []byte(gone), nil)
	must(t, err)
	n, err := c.Working().Node("b")
	if err != nil || *n.TTL != 0 || len(findings) != 1 {
		t.Errorf("%+v, %v, %v", n, findings, err)
	}
	_, err = c.Commit(ctx, nil)
	must(t, err)
	if _, err := c.Working().Node("b"); !errors.Is(err, fault.NodeNotFound) {
		t.Errorf("the node stayed: %v", err)
	}
	for parents, want := range map[[2]string]fault.Code{{`"r"`, "null"}: "", {`"x"`, "null"}: fault.InvalidParent, {"null", "null"}: fault.InvalidParent,
		{"7", "null"}: fault.InvalidParent, {`"r"`, `"r"`}: fault.InvalidParent} {
		text := fmt.Sprintf(`{"spec_version":"PACT/1.0.0","root":{"id":"r","parent_id":%s,"children":[{"id":"s","nodeType":"^sys","parent_id":%s}]}}`,
			parents[1], parents[0])
		if _, _, err := pact.Import(ctx, pact.NewDB(store.NewMemory()), "c", []byte(text), nil); fault.CodeOf(err) != want {
			t.Errorf("the parents %q: %v", parents, err)
		}
	}
	for log, code := range map[string]fault.Code{`[{"content":"x"}]`: fault.DocumentInvalid, `[{"role":"user","tag":"t","content":"x"}]`: "",
		`[{"tag":7,"content":"x"}]`: fault.DocumentInvalid, `[{"role":7,"tag":"t","content":"x"}]`: fault.DocumentInvalid} {
		text := `{"spec_version":"PACT/1.0.0","flat_log":` + log + `}`
		if _, _, err := pact.ReadSnapshot([]byte(text), ""); fault.CodeOf(err) != code {
			t.Errorf("the flat log %s: %v", log, err)
		}
	}
	both := `{"spec_version":"PACT/1.0.0","flat_log":"none","root":{"id":"r","children":[]}}`
	if _, _, err := pact.ReadSnapshot([]byte(both), ""); err != nil {
		t.Errorf("a document with a flat log beside its tree: %v", err)
	}
}

// Nodes of a key that overlap are read, and found.
func TestOverlapsOfDocuments(t *testing.T) {
	document := `{"spec_version":"PACT/1.0.0","root":{"children":[{"nodeType":"^sys","children":[{"id":"s","key":"K"}]},
		{"nodeType":"^seq","children":[{"id":"t1","children":[{"id":"a","key":"K"}]},{"id":"t2","children":[
		{"id":"b","key":"K"},{"id":"c","key":"L"},{"id":"d","key":"K","offset":1}]}]}]}}`
	_, findings, err := pact.ReadSnapshot([]byte(document), "")
	if err != nil || len(findings) != 1 || findings[0].Node != "d" || findings[0].Code != fault.OverlapViolatesODI {
		t.Errorf("%v, %v", findings, err)
	}
}

// A document may say anything of a cadence: what is no number of cycles is refused, and what an edit could not have made
// is a finding; then commits add at most one node of the key each, and none of ^sys beside another.
func TestCadencesOfDocuments(t *testing.T) {
	ctx := context.Background()
	const most = "9223370937343148031"
	for _, x := range []struct {
		region, headers string
		code            fault.Code
		findings, stand int // after three commits
	}{
		{"^sys", `"cad":0`, fault.PlacementInvalid, 0, 0},
		{"^seq", `"cad":-1`, fault.PlacementInvalid, 0, 0},
		{"^ah", `"cad":1.5`, fault.PlacementInvalid, 0, 0},
		{"^ah", `"cad":"2"`, fault.PlacementInvalid, 0, 0},
		{"^ah", `"cad":9223372036854775807`, fault.PlacementInvalid, 0, 0},
		{"^seq", `"cad":1,"ttl":` + most, fault.Limit, 0, 0},
		{"^seq", `"cad":null`, "", 0, 1},
		{"^seq", `"cad":1`, "", 0, 4},
		{"^seq", `"cad":1,"cycle":-` + most, "", 0, 4},
		{"^seq", `"cad":` + most + `,"cycle":` + most, "", 0, 1},
		{"^ah", `"cad":1,"ttl":9223370937343148025`, "", 0, 3},
		{"^ah", `"cad":1,"ttl":2,"cycle":-` + most, "", 0, 2},
		{"^ah", `"cad":2`, "", 0, 2},
		{"^sys", `"cad":1`, "", 1, 1},
		{"^sys", `"cad":2,"ttl":3`, "", 1, 1},
		{"^sys", `"cad":2,"ttl":2`, "", 0, 1},
	} {
		node := `{"id":"n","key":"K","content":"x","created_at_ns":5,` + x.headers + `}`
		if x.region == "^seq" {
			node = `{"id":"t","nodeType":"seg","created_at_ns":5,"children":[` + node + `]}`
		}
		text := `{"spec_version":"PACT/1.0.0","cycle":5,"root":{"children":[{"nodeType":"` + x.region + `","children":[` + node + `]}]}}`
		c, findings, err := pact.Import(ctx, pact.NewDB(store.NewMemory()), "c", []byte(text), nil)
		if fault.CodeOf(err) != x.code || len(findings) != x.findings {
			t.Errorf("%s %s: %v, %v", x.region, x.headers, findings, err)
		}
		if err != nil {
			continue
		}
		for range 3 {
			_, err := c.Commit(ctx, nil)
			must(t, err)
		}
		if got, err := c.Select(ctx, "@t-1 #K", nil); err != nil || len(got) != x.stand {
			t.Errorf("%s %s: %q stand after three commits, %v", x.region, x.headers, got, err)
		}
		if again, _, err := pact.ReadSnapshot([]byte(exported(t, c.Working())), ""); err != nil ||
			exported(t, again) != exported(t, c.Working()) {
			t.Errorf("%s %s: the document does not come back: %v", x.region, x.headers, err)
		}
	}
}

var must = testrun.Must

func exported(t *testing.T, s *pact.Snapshot) string {
	t.Helper()
	var b bytes.Buffer
	must(t, s.Export(context.Background(), &b))
	return b.String()
}
