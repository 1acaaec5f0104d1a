package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// repository is the directory of the main module, seen from this one.
const repository = "../.."

// shared holds what all tests of the package use: the program, which is built once, and the
// browser, in which each tab has cookies of its own.
var shared struct {
	dir string // removed at the end

	program     sync.Once
	programPath string
	programErr  error

	browser    sync.Once
	browserCtx context.Context
	browserErr error
	close      func()

	leftOut atomic.Int64
}

func TestMain(m *testing.M) { os.Exit(runAll(m)) }

func runAll(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "pact-e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shared.dir = dir
	defer os.RemoveAll(dir)
	code = m.Run()
	if shared.close != nil {
		shared.close()
	}
	if n := shared.leftOut.Load(); n > 0 {
		fmt.Fprintf(os.Stderr, "%d tests left out: %v\n", n, shared.browserErr)
	}
	return code
}

// program returns the path of pact, built from the sources of the other module.
func program(t testing.TB) string {
	t.Helper()
	shared.program.Do(func() {
		shared.programPath = filepath.Join(shared.dir, "pact")
		build := exec.Command("go", "build", "-C", repository, "-o", shared.programPath, "./cmd/pact")
		if out, err := build.CombinedOutput(); err != nil {
			shared.programErr = fmt.Errorf("pact cannot be built: %w\n%s", err, out)
		}
	})
	if shared.programErr != nil {
		t.Fatal(shared.programErr)
	}
	return shared.programPath
}

// browserPaths are where Chromium is looked for, as Debian, other systems and Google name it.
var browserPaths = []string{"chromium", "chromium-browser", "google-chrome"}

// browser returns a context of the browser. Without a browser on the machine it leaves the
// test out, or fails it where PACT_REQUIRE_BROWSER is set.
func browser(t testing.TB) context.Context {
	t.Helper()
	shared.browser.Do(startBrowser)
	if shared.browserErr != nil {
		if os.Getenv("PACT_REQUIRE_BROWSER") != "" {
			t.Fatal(shared.browserErr)
		}
		shared.leftOut.Add(1)
		t.Skip("left out: ", shared.browserErr)
	}
	return shared.browserCtx
}

func startBrowser() {
	path := ""
	for _, name := range browserPaths {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		shared.browserErr = errors.New("there is no Chromium on this machine (apt-get install chromium)")
		return
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.UserDataDir(filepath.Join(shared.dir, "profile")), chromedp.WindowSize(1280, 720))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses to sandbox itself for root
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stop := chromedp.NewContext(allocator)
	shared.browserCtx = ctx
	shared.close = func() { stop(); stopAllocator() }
	if err := chromedp.Do(ctx); err != nil {
		shared.browserErr = fmt.Errorf("the browser %s does not start: %w", path, err)
	}
}
