package redact

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
)

// of returns n mixed characters of an alphabet. No secret stands whole in this file, so that scanners pass it by.
func of(alphabet string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteByte(alphabet[(i*i*7+i*5+3)%len(alphabet)])
	}
	return b.String()
}

const (
	hex    = "0123456789abcdef"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	letter = "aB3cD4eF5gH6iJ7kL8mN9oP0qRsTuVwXyZbdfhjlnprtvxz12ACEGIKMOQSUWY"
	lower  = "abcdefghijklmnopqrstuvwxyz0123456789"
)

// issued are secrets as their providers issue them, by how they begin.
func issued() map[string]string {
	uuid := of(hex, 8) + "-" + of(hex, 4) + "-" + of(hex, 4) + "-" + of(hex, 4) + "-" + of(hex, 12)
	hook := "T" + of(upper, 10) + "/B" + of(upper, 10) + "/1234567890/" + of(letter, 24)
	all := map[string]string{"sk-ant-": "api03-" + of(letter, 95), "sk-": of(letter, 48), "sk-or-v1-": of(hex, 64), "sk-lf-": uuid,
		"AIza": of(letter, 35), "gsk_": of(letter, 52), "xai-": of(letter, 80), "csk-": of(lower, 48), "pplx-": of(letter, 48),
		"tgp_v1_": of(letter, 43), "nvapi-": of(letter, 64), "r8_": of(letter, 37), "tvly-": "dev-" + of(letter, 32),
		"ABSK": of(letter, 130) + "==", "ya29.": of(letter, 120), "GOCSPX-": of(letter, 28), "dapi": of(hex, 32), "pypi-AgE": of(letter, 160),
		"sbp_": of(hex, 40), "sb_secret_": of(letter, 31), "hvs.": of(letter, 95), "hvb.": of(letter, 140), "HRKU-": uuid,
		"github_pat_": of(letter, 22) + "_" + of(letter, 59), "npm_": of(letter, 36), "rubygems_": of(hex, 48), "xapp-": "1-A0-" + of(letter, 40),
		"SG.": of(letter, 22) + "." + of(letter, 43), "PMAK-": of(hex, 24) + "-" + of(hex, 34), "lin_api_": of(letter, 40),
		"lin_oauth_": of(hex, 64), "ntn_": of(letter, 46), "glsa_": of(letter, 32) + "_" + of(hex, 8), "glc_": of(letter, 80) + "==",
		"sntrys_": of(letter, 90), "sntryu_": of(hex, 64), "NRAK-": of(upper, 27), "AGE-SECRET-KEY-1": of(upper, 58),
		"eyJ": of(letter, 33) + ".eyJ" + of(letter, 71) + "." + of(letter, 43), "Bearer ": of(letter, 32), "bearer ": of(lower, 40) + "=",
		"BEARER ": of(hex, 32), "bedrock-api-key-": of(letter, 900) + "==",
		"://": "admin:" + of(letter, 20) + "@", "-----BEGIN ": pem("RSA PRIVATE KEY", "\n")[len("-----BEGIN "):],
		"hooks.slack.com/services/": hook, "hooks.slack.com/workflows/": hook, "hooks.slack.com/triggers/": hook,
		"discord.com/api/webhooks/": "123456789012345678/" + of(letter, 68), "discordapp.com/api/webhooks/": "1234/" + of(letter, 68)}
	for alphabet, kinds := range map[string]map[int]string{
		letter: {36: "ghp_ gho_ ghu_ ghs_ ghr_ dckr_pat_ dckr_oat_ hf_ api_org_", 120: "sk-proj- sk-svcacct- sk-admin- sk-None- fo1_ fm2_",
			26: "glpat- gldt- glrt- glptt- glft- glsoat- sk_live_ rk_live_ sk_test_ rk_test_ whsec_", 186: "ATATT3 ATCTT3 ATBB",
			52: "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe- xoxe.xoxp- xoxe.xoxb-"},
		hex:   {64: "dop_v1_ doo_v1_ dor_v1_", 32: "shpat_ shpca_ shppa_ shpss_"},
		upper: {16: "AKIA ASIA ABIA ACCA"}} {
		for n, begins := range kinds {
			for begin := range strings.FieldsSeq(begins) {
				all[begin] = of(alphabet, n)
			}
		}
	}
	for _, begin := range []string{"lsv2_pt_", "lsv2_sk_"} {
		all[begin] = of(hex, 32) + "_" + of(hex, 10)
	}
	for _, begin := range []string{"aws_secret_access_key", "AWS_SECRET_ACCESS_KEY", "SecretAccessKey", "secretAccessKey"} {
		all[begin] = ` = "` + of(letter, 40)
	}
	for _, begin := range []string{"aws_session_token", "AWS_SESSION_TOKEN", "SessionToken", "sessionToken"} {
		all[begin] = `\": \"` + of(letter, 300) + "=="
	}
	for _, begin := range []string{"AccountKey=", "SharedAccessKey="} {
		all[begin] = of(letter, 86) + "=="
	}
	return all
}

func pem(name, end string) string {
	return "-----BEGIN " + name + "-----" + end + of(letter, 64) + end + of(letter, 64) + end + of(letter, 30) + "==" + end + "-----END " + name +
		"-----"
}

func hidden(text string) (string, int) {
	n := 0
	text = Rules{Secrets: true}.Replace(text, func(string) string { n++; return "X" })
	return text, n
}

// Each form of the list is found behind other signs, in the arguments of a call, and at the end of a text.
func TestSecretsOfEveryFormAreFound(t *testing.T) {
	secrets := issued()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "redaction.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range forms {
		for name := range strings.SplitSeq(f.name, ", ") {
			if name[0] < 'a' && !strings.Contains(string(page), name) {
				t.Errorf("docs/redaction.md does not name %s", name)
			}
		}
		for _, begin := range f.begins {
			rest, is := secrets[begin]
			if !is {
				t.Errorf("%s: no secret begins with %q", f.name, begin)
			}
			for _, around := range [][2]string{{"", ""}, {"KEY='", "', "}, {`{"a":"x\n`, `","b":1}`}, {"(", ")."},
				{`key\u003d\u0022`, `\u0022`}, {"key%3D", "&a=b"},
				{"\x1b[01;31m\x1b[K", "\x1b[m\x1b[K"}, {`\u001b[38;2;9;99;255m`, `\u001b[0m`}} {
				got, n := hidden(around[0] + begin + rest + around[1])
				if tail := rest[max(0, len(rest)-12):]; n != 1 || strings.Contains(got, strings.TrimRight(tail, "@")) {
					t.Errorf("%s: %d found, and this is left: %s", f.name, n, got)
				}
			}
		}
	}
}

// The password of an address is found in whole addresses, and a key where no word can go on.
func TestSecretsAreFoundBesideWords(t *testing.T) {
	password := of(letter, 18)
	for _, text := range []string{"postgres://admin:%@db.example.com/x", "https://me:%@example.com", "mongodb+srv://a.b:%@cluster0.abc.net/?w=1",
		"redis://:%@10.0.0.1:6379/0", `DATABASE_URL=\"amqp://u:%@mq:5672\"`, "proxy=socks5h://u:%@h"} {
		got, n := hidden(strings.Replace(text, "%", password, 1))
		if want := strings.Replace(text, "%", "X", 1); n != 1 || got != want {
			t.Errorf("%d found, and this is left: %s", n, got)
		}
	}
	for _, secret := range []string{"ya29.c." + of(letter, 90), "ya29.c.b0A_" + of(letter, 40) + "." + of(letter, 30),
		"sk-" + of(letter, 9) + "-" + of(letter, 4) + "_" + of(letter, 7), "ABSK" + of(letter, 128), `aws_secret_access_key\u003d\u0022` + of(letter, 40),
		"AWS_SECRET_ACCESS_KEY%3D" + of(letter, 40)} {
		if got, n := hidden("a " + secret + "\n"); n != 1 || strings.Contains(got, secret[len(secret)-7:]) {
			t.Errorf("%d found, and this is left: %s", n, got)
		}
	}
	key := pem("PRIVATE KEY", "\n")
	if got, n := hidden("key" + key + "end"); n != 1 || got != "keyXend" {
		t.Errorf("%d found, and this is left: %s", n, got)
	}
}

// A private key is one as a file has it, as a tool shows the file with its lines, in a call's arguments, in a diff, and
// without its end.
func TestPrivateKeysAreFoundAsToolsShowThem(t *testing.T) {
	whole := pem("OPENSSH PRIVATE KEY", "\n")
	var numbered, added strings.Builder
	for i, line := range strings.Split(whole, "\n") {
		numbered.WriteString(strings.Repeat(" ", 5) + string(rune('1'+i)) + "→" + line + "\n")
		added.WriteString("+" + line + "\n")
	}
	for _, text := range []string{whole, numbered.String(), added.String(), pem("PRIVATE KEY", `\n`), pem("EC PRIVATE KEY", `\\n`),
		pem("PRIVATE KEY", "\r\n"), whole[:120], strings.Replace(pem("RSA PRIVATE KEY", "\n"), "-----\n",
			"-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n", 1),
		strings.Replace(pem("PGP PRIVATE KEY BLOCK", "\n"), "\n-----END", "\n=aB3c\n-----END", 1)} {
		got, n := hidden("before\n" + text + "\nafter this")
		if n != 1 || strings.Contains(got, of(letter, 20)) || strings.Contains(got, "END") || !strings.HasSuffix(got, "after this") {
			t.Errorf("%d found in\n%s\nand this is left:\n%s", n, text, got)
		}
	}
}

// Placeholders, words, digests, public keys and short texts are no secrets.
func TestWhatIsNoSecretStays(t *testing.T) {
	for _, text := range []string{"", "sk-", "sk-ant-...", "sk-ant-api03-" + strings.Repeat("x", 90), "ghp_" + strings.Repeat("X", 36),
		"export OPENAI_API_KEY=sk-your-key-here", "task-" + of(hex, 32), "mask_sk-" + of(letter, 48), "AKIA", "AKIA" + of(upper, 17),
		"MAKIA" + of(upper, 16), of(hex, 40), "sha256:" + of(hex, 64), "sk-learn", "risk-" + of(letter, 60), "-----BEGIN PRIVATE KEY-----",
		"grep for -----BEGIN RSA PRIVATE KEY----- and for -----END RSA PRIVATE KEY----- in the logs", pem("PUBLIC KEY", "\n"),
		pem("CERTIFICATE", "\n"), "eyJ" + of(letter, 40), "Authorization: Bearer $TOKEN", "Bearer authentication-of-requests",
		"https://user:pass@host/", "postgres://${USER}:${A_LONG_PASSWORD_1}@db", "https://acme.example:8080?first=a1b2c3&mail=me@acme.example",
		"https://acme.example:8080#a1b2c3-d4e5f6-me@acme", `f"postgres://{user}:{settings.password_1}@db"`, "ssh://git@host:22/a/b/c/d/e/f@1", "dapi-server-1",
		"npm_config_registry_for_all_of_the_packages", "Bearer YOUR_API_KEY_123456",
		"Bearer token-based-auth-v2-scheme",
		"bearer capability-based-security2024", "Bearer oauth2-access-token-v2", "BEARER YOUR-TOKEN-1-GOES-HERE-2",
		"https://discord.com/api/webhooks/getting-started-with-webhooks",
		"https://discord.com/api/webhooks/1234/how-to-write-a-program-that-sends-messages",
		"https://hooks.slack.com/services/T00000000/B00000000/" + strings.Repeat("X", 24),
		"hooks.slack.com/services/sending-messages-using-incoming",
		"sk-your-api-key-goes-here", "sk-my-custom-provider-key-v2", "sk-estimator-doc-link-fitted-1",
		"data:image/png;base64,aB3/ABSK" + of(letter, 400) + "/" + of(letter, 90) + "=="} {
		if got, n := hidden(text); n > 0 || got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// No text makes the search read again and again: beginnings that repeat, alone and with what could follow them. In twice
// the text the forms look at twice the characters.
func TestSecretsAreSoughtInLinearTime(t *testing.T) {
	parts := []string{"-----BEGIN PRIVATE KEY-----\nAaaa: ", "-----BEGIN PRIVATE KEY-----\nAaaa: b\n", "-----BEGIN PRIVATE KEY-----\n1→",
		`-----BEGIN PRIVATE KEY-----\\\\\n`, "-----BEGIN PRIVATE KEY-----" + of(letter, 31) + "\n", "-----BEGIN A1 ",
		"-----BEGIN PRIVATE KEY-----" + of(letter, 40) + "\nEND ", "ya29.a.", `SessionToken\\`, "sk-a1", "eyJ-", "\x1b[0;",
		"://a:b", "discord.com/api/webhooks/1234/", "\x1b[38;2;9;99;255msk-",
		"-----BEGIN PRIVATE KEY----------BEGIN PRIVATE KEY-----\nA-----BEGIN: "}
	secrets, looked := issued(), 0
	for i := range forms {
		f := &forms[i]
		match := f.match
		defer func() { f.match = match }()
		again := regexp.MustCompile("^(?:" + f.then + ")")
		f.match = func(text string) []int {
			from := strings.NewReader(text)
			at := again.FindReaderSubmatchIndex(from)
			looked += len(text) - from.Len()
			return at
		}
		begin := f.begins[0]
		rest := secrets[begin]
		for _, part := range []string{"", rest[:3], rest[:len(rest)/2], rest[:len(rest)-1], rest} {
			for _, end := range []string{"", "-", "_ ", ".", ":"} {
				parts = append(parts, begin+part+end)
			}
		}
	}
	work := func(part string, size int) int {
		looked = 0
		hidden(strings.Repeat(part, 1+size/len(part)))
		return looked
	}
	for _, part := range parts {
		if once, twice := work(part, 2_000), work(part, 4_000); twice > once*5/2+1_000 {
			t.Errorf("%q: %d characters are looked at, in twice the text %d", part, once, twice)
		}
	}
}

// Expressions and the word for the known forms go together.
func TestParse(t *testing.T) {
	r, err := Parse([]string{"acme-[0-9]+", Known})
	got := r.Replace("acme-12 and ghp_"+of(letter, 36)+" and secrets", func(string) string { return "█" })
	if err != nil || got != "█ and █ and secrets" || r.Empty() {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Parse([]string{"("}); err == nil {
		t.Error("( is an expression")
	}
	if r, err := Parse(nil); err != nil || !r.Empty() {
		t.Error("nothing is something")
	}
}

// In the real conversations at hand, none of which has a secret, none is found: docs/redaction.md says so.
func TestNoSecretIsSeenInRealConversations(t *testing.T) {
	dir := filepath.Dir(testrun.Shared(t, "data", "*.traj")[0])
	found, size := 0, 0
	escaped := regexp.MustCompile(`\\+n`)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, text := range []string{string(data), escaped.ReplaceAllString(string(data), "\n")} {
			_, n := hidden(text)
			found, size = found+n, size+len(text)
			if n > 0 {
				t.Logf("%d in %s", n, path)
			}
		}
		return err
	})
	if err != nil || found > 0 {
		t.Fatalf("%d secrets in %d bytes, %v", found, size, err)
	}
}
