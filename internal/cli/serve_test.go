package cli_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli"
)

func TestServePrintsTheAddressAndEndsInGoodOrder(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, printed := io.Pipe()
	var complaints strings.Builder
	exit := make(chan int, 1)
	go func() {
		exit <- cli.Run(ctx, []string{"serve", "--addr", "127.0.0.1:0", "--db", filepath.Join(t.TempDir(), "pact.db")},
			cli.Streams{In: strings.NewReader(""), Out: printed, Err: &complaints})
	}()
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(strings.TrimSpace(string(line[:n])))
	if err != nil {
		t.Fatal(err)
	}
	token, ok := strings.CutPrefix(at.Fragment, "token=")
	if !ok || len(token) < 26 {
		t.Fatalf("the address %s has no token", at)
	}
	at.Fragment = ""
	for header, want := range map[string]int{"Bearer " + token: http.StatusOK, "Bearer x": http.StatusUnauthorized} {
		req, err := http.NewRequestWithContext(ctx, "GET", at.JoinPath("v1/contexts").String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", header)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s, want %d", res.Status, want)
		}
	}
	stop()
	if code := <-exit; code != 0 {
		t.Errorf("exit code %d: %s", code, complaints.String())
	}
}

func TestServeRefusesAddressesThatOtherMachinesReach(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:80", "example.org:80", "127.0.0.1"} {
		var complaints strings.Builder
		code := cli.Run(t.Context(), []string{"serve", "--addr", address, "--db", filepath.Join(t.TempDir(), "pact.db")},
			cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &complaints})
		if code != 2 || !strings.Contains(complaints.String(), "named tokens") {
			t.Errorf("%s: exit code %d, %s", address, code, complaints.String())
		}
	}
}
