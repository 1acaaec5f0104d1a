package wire

import (
	"crypto/tls"
	"net"
	"os"
	"sync"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/safefile"
)

// certificates gives out a certificate that is kept in two files, and reads them again when
// they change. Files that do not belong together, as while they are replaced, leave the
// certificate that was good before.
type certificates struct {
	cert, key string
	mu        sync.Mutex
	now       *tls.Certificate
	stamps    [2]stamp
	looked    time.Time
}

// stamp tells that a file changed.
type stamp struct {
	size int64
	at   time.Time
}

// certAge is how long a certificate is given out before its files are looked at again.
const certAge = time.Second

// listenTLS returns a listener whose connections speak TLS 1.2 or later.
func listenTLS(inner net.Listener, cert, key string) (net.Listener, error) {
	c := &certificates{cert: cert, key: key}
	if err := c.read(); fault.CodeOf(err) != "" {
		return nil, err
	} else if err != nil {
		return nil, fault.Wrap(fault.DocumentInvalid, err, "the certificate and the key cannot be read",
			"give files in PEM that belong together")
	}
	return tls.NewListener(inner, &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current(), nil }}), nil
}

func (c *certificates) current() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.looked) >= certAge {
		c.looked = time.Now()
		if stamps, err := c.stampsNow(); err == nil && stamps != c.stamps {
			_ = c.read() // the certificate from before stays; the next connection tries again
		}
	}
	return c.now
}

func (c *certificates) read() error {
	stamps, err := c.stampsNow()
	if err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return err
	}
	c.now, c.stamps = &pair, stamps
	return nil
}

func (c *certificates) stampsNow() (s [2]stamp, err error) {
	for i, name := range [...]string{c.cert, c.key} {
		if err := safefile.CheckRegular(name); err != nil {
			return s, err
		}
		info, err := os.Stat(name)
		if err != nil {
			return s, err
		}
		s[i] = stamp{info.Size(), info.ModTime()}
	}
	return s, nil
}
