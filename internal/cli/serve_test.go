package cli_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/testrun"
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
	must(t, err)
	at, err := url.Parse(strings.TrimSpace(string(line[:n])))
	must(t, err)
	token, ok := strings.CutPrefix(at.Fragment, "token=")
	if !ok || len(token) < 26 {
		t.Fatalf("the address %s has no token", at)
	}
	at.Fragment = ""
	for header, want := range map[string]int{"Bearer " + token: http.StatusOK, "Bearer x": http.StatusUnauthorized} {
		req, err := http.NewRequestWithContext(ctx, "GET", at.JoinPath("v1/contexts").String(), nil)
		must(t, err)
		req.Header.Set("Authorization", header)
		res, err := http.DefaultClient.Do(req)
		must(t, err)
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

// TestServeEndsWithItsInput kills the program that started a server and sees the server end in
// good order: the program is a cat whose output is the standard input of the server.
func TestServeEndsWithItsInput(t *testing.T) {
	input, held, err := os.Pipe()
	must(t, err)
	defer input.Close()
	parent := exec.Command("cat")
	parent.Stdout = held
	parentInput, err := parent.StdinPipe()
	must(t, err)
	defer parentInput.Close()
	must(t, parent.Start())
	must(t, held.Close()) // only the parent holds it now
	out, printed := io.Pipe()
	var complaints strings.Builder
	exit := make(chan int, 1)
	go func() {
		exit <- cli.Run(t.Context(), []string{"serve", "--addr", "127.0.0.1:0", "--until-eof", "--json", "--db",
			filepath.Join(t.TempDir(), "pact.db")}, cli.Streams{In: input, Out: printed, Err: &complaints})
	}()
	var said struct{ Address, Token string }
	must(t, json.NewDecoder(out).Decode(&said))
	go func() { _, _ = io.Copy(io.Discard, out) }()
	req, err := http.NewRequestWithContext(t.Context(), "GET", said.Address+"v1/contexts", nil)
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+said.Token)
	res, err := http.DefaultClient.Do(req)
	must(t, err)
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("while its parent lives the server says %s", res.Status)
	}
	must(t, parent.Process.Kill())
	_ = parent.Wait() // it was killed
	select {
	case code := <-exit:
		if code != 0 {
			t.Errorf("exit code %d: %s", code, complaints.String())
		}
	case <-time.After(20 * time.Second):
		t.Error("the server outlives its parent")
	}
}

func TestServeRefusesAddressesThatOtherMachinesReach(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:80", "example.org:80", "127.0.0.1"} {
		var complaints strings.Builder
		code := cli.Run(t.Context(), []string{"serve", "--addr", address, "--db", filepath.Join(t.TempDir(), "pact.db")},
			cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &complaints})
		if code != 2 || !strings.Contains(complaints.String(), "127.0.0.1") {
			t.Errorf("%s: exit code %d, %s", address, code, complaints.String())
		}
	}
}

var must = testrun.Must

// certificate writes a new certificate for localhost with its key, and returns it.
func certificate(t *testing.T, cert, key string) *x509.Certificate {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<60))
	must(t, err)
	form := x509.Certificate{SerialNumber: serial, DNSNames: []string{"localhost"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, &form, &form, &private.PublicKey, private)
	must(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	must(t, err)
	must(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	must(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	made, err := x509.ParseCertificate(der)
	must(t, err)
	return made
}

// TestServeSpeaksTLSWithTheCertificateThatIsThere serves other machines, replaces the
// certificate while it runs, and ends in good order.
func TestServeSpeaksTLSWithTheCertificateThatIsThere(t *testing.T) {
	dir := t.TempDir()
	cert, key, db := filepath.Join(dir, "pem"), filepath.Join(dir, "key"), filepath.Join(dir, "pact.db")
	first := certificate(t, cert, key)
	var secret strings.Builder
	if code := cli.Run(t.Context(), []string{"token", "add", "anna", "--read", "--db", db},
		cli.Streams{In: strings.NewReader(""), Out: &secret, Err: io.Discard}); code != 0 {
		t.Fatal(code)
	}
	ctx, stop := context.WithCancel(t.Context())
	out, printed := io.Pipe()
	exit := make(chan int, 1)
	go func() {
		exit <- cli.Run(ctx, []string{"serve", "--addr", "0.0.0.0:0", "--host", "localhost", "--tls-cert", cert,
			"--tls-key", key, "--db", db}, cli.Streams{In: strings.NewReader(""), Out: printed, Err: io.Discard})
	}()
	line := make([]byte, 200)
	n, err := out.Read(line)
	must(t, err)
	at, err := url.Parse(strings.TrimSpace(string(line[:n])))
	must(t, err)
	if at.Scheme != "https" || at.Fragment != "" {
		t.Fatalf("the address %s", at)
	}
	ask := func(known *x509.Certificate) error {
		roots := x509.NewCertPool()
		roots.AddCert(known)
		client := http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true,
			TLSClientConfig: &tls.Config{RootCAs: roots}}}
		defer client.CloseIdleConnections()
		req, err := http.NewRequestWithContext(ctx, "GET", "https://localhost:"+at.Port()+"/v1/contexts", nil)
		must(t, err)
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(secret.String()))
		res, err := client.Do(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK || res.ProtoMajor != 2 {
			t.Errorf("%s %s", res.Proto, res.Status)
		}
		return nil
	}
	must(t, ask(first))
	must(t, os.WriteFile(cert, []byte("half a certificate"), 0o600))
	time.Sleep(1100 * time.Millisecond) // after which the files are looked at again
	must(t, ask(first))
	second := certificate(t, cert, key)
	time.Sleep(1100 * time.Millisecond)
	must(t, ask(second))
	if ask(first) == nil {
		t.Error("the old certificate is still in use")
	}
	stop()
	if code := <-exit; code != 0 {
		t.Errorf("exit code %d", code)
	}
}
