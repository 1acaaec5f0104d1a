package conformance_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/conformance"
)

// Every case says where it comes from; a house rule is a section of the page of decisions; and no MUST rests on house rules alone.
func TestOrigins(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "decisions.md"))
	must(t, err)
	demanded := map[string]bool{}
	checked := func(id string, o conformance.Origin) {
		number := o.Decision()
		if demanded[number] || number == "" && !o.House() {
			return
		}
		demanded[number] = true
		if !strings.Contains(string(page), "\n## "+number+" ") {
			t.Fatalf("%s: %q is no section of docs/decisions.md", id, o)
		}
	}
	documents := map[string]bool{} // the cases that the documents demand
	for _, c := range cases(t) {
		documents[c.ID] = c.Origin == conformance.Printed || c.Origin == conformance.Derived
		if !documents[c.ID] && !c.Origin.House() {
			t.Errorf("%s has the origin %q", c.ID, c.Origin)
		}
		checked(c.ID, c.Origin)
		for _, check := range c.Checks {
			if checked(c.ID, check.Origin); check.Origin != "" && (!check.Origin.House() || c.Origin.House()) {
				t.Errorf("%s has a check of the origin %q", c.ID, check.Origin)
			}
		}
	}
	for _, item := range items(t) {
		if item.Level == "MUST" && len(item.Cases) > 0 &&
			!slices.ContainsFunc(item.Cases, func(id string) bool { return documents[id] }) {
			t.Errorf("%s rests on house rules alone: %v", item.ID, item.Cases)
		}
	}
	for _, number := range []string{"017", "023", "040"} { // of form, wherever it is asked for
		checked("the runner", conformance.Origin("house "+number))
	}
}

// A program that departs from a house rule alone fails that and nothing that the documents demand.
func TestHouseRulesCountApart(t *testing.T) {
	const odd = "000-5.5-L261" // null: found with = alone; in an order it finds nothing, where ours refuses
	some := slices.DeleteFunc(cases(t), func(c conformance.Case) bool { return c.ID != odd && c.ID != "000-5.5-L262" })
	report, err := conformance.RunAll(t.Context(), some, func(ctx context.Context, args ...string) (conformance.Answer, error) {
		if strings.Contains(args[len(args)-1], "<null") {
			return conformance.Answer{Out: []byte("[]\n")}, nil
		}
		return command(ctx, args...)
	}, conformance.RunOptions{})
	must(t, err)
	for _, c := range report.Cases {
		failed := c.Verdict == conformance.Failed
		if failed != (c.ID == odd) || failed != c.Origin.House() {
			t.Errorf("%s: %s, %s", c.ID, c.Verdict, c.Origin)
		}
	}
	if report.SpecVersion != "PACT/0.1.0" {
		t.Errorf("cases of v0.1 ran of %s", report.SpecVersion)
	}
	if n := report.Claims[0]; n.Cases != 2 || n.Passed != 2 || report.Origins[1].Failed != 0 || report.Origins[2].Failed != 1 {
		t.Errorf("the claim is %+v, the origins %+v", n, report.Origins)
	}
	for _, list := range report.Checklists {
		for _, item := range list.Items {
			if item.Level == "MUST" && item.Verdict == conformance.Failed {
				t.Errorf("%s fails by a house rule", item.ID)
			}
		}
	}
}
