package conformance_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/contexttree/pact/conformance"
)

// TestVersionNamesTheCases: a claim names the version, so cases do not change without another one.
func TestVersionNamesTheCases(t *testing.T) {
	const version, digest = "1.4", "029b5e3108be5302937006c66104f47b0d82f840c50cff4a6dc95676444ced48"
	sum := sha256.New()
	for _, dir := range []string{"cases", "fixtures", "operations"} {
		err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(dir + "/" + path)
			sum.Write([]byte(dir + "/" + path + "\n"))
			sum.Write(data)
			return err
		})
		must(t, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); conformance.Version != version || got != digest {
		t.Errorf("the cases of version %s have the digest %s: raise Version, and write both here", conformance.Version, got)
	}
}

func TestCapabilities(t *testing.T) {
	for out, want := range map[string]conformance.Scope{
		"": {}, "[]": {}, "{}": {}, "ok": {}, `{"profiles":["select-v01"]}`: {Profiles: []string{"select-v01"}},
		`{"profiles":[],"editions":["1.0"],"more":1}`: {Profiles: []string{}, Editions: []string{"1.0"}},
		`{"profiles":["select-v9"]}`:                  {Profiles: []string{"select-v9"}}, `{"editions":["2"]}`: {Editions: []string{"2"}},
	} {
		got, err := conformance.Capabilities(t.Context(), func(_ context.Context, args ...string) (conformance.Answer, error) {
			return conformance.Answer{Out: []byte(out)}, nil
		})
		if !reflect.DeepEqual(got, want) || (err != nil) != (strings.Contains(out, "9") || strings.Contains(out, "2")) {
			t.Errorf("%s: %+v, %v", out, got, err)
		}
	}
	failing := func(context.Context, ...string) (conformance.Answer, error) {
		return conformance.Answer{Out: []byte(`{"editions":["1.0"]}`), Exit: 2}, nil
	}
	if got, err := conformance.Capabilities(t.Context(), failing); err != nil || len(got.Editions) > 0 {
		t.Errorf("a program without the command: %+v, %v", got, err)
	}
}

// TestScope: what a program does not say that it has is not put to it, counts in no claim, and is no success.
func TestScope(t *testing.T) {
	asked := 0
	report, err := conformance.RunAll(t.Context(), cases(t), func(ctx context.Context, args ...string) (conformance.Answer, error) {
		asked++
		return command(ctx, args...)
	}, conformance.RunOptions{Scope: conformance.Scope{Profiles: []string{"attempts", "select-1.0"}, Editions: []string{"v0.1"}}})
	must(t, err)
	verdicts := map[conformance.Verdict]int{}
	for _, c := range report.Cases {
		verdicts[c.Verdict]++
		if want := c.Profile == "pruning"; want != (c.Verdict == conformance.NotApplicable) {
			t.Errorf("%s of %s: %s", c.ID, c.Profile, c.Verdict)
		}
	}
	s := report.Summary
	if s.Cases != 1 || s.Passed != 1 || s.NotClaimed != verdicts[conformance.NotClaimed] || s.NotApplicable != 79 ||
		s.Cases+s.NotClaimed+s.NotApplicable != len(report.Cases) || asked > 40 {
		t.Errorf("%+v after %d calls", s, asked)
	}
	if len(report.Claims) != 1 || report.Claims[0].Profile != "attempts" || report.SpecVersion != "PACT/0.1.0" {
		t.Errorf("%+v of %s", report.Claims, report.SpecVersion)
	}
	items := map[conformance.Verdict]int{}
	for _, list := range report.Checklists {
		for _, item := range list.Items {
			items[item.Verdict]++
		}
	}
	if items[conformance.Failed] > 0 || items[conformance.NotClaimed] < 100 || items[conformance.Passed]+items[conformance.Partial] == 0 {
		t.Errorf("the items are %v", items)
	}
}
