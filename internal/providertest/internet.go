package providertest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"time"
)

// Internet is a proxy for HTTPS that leads every host to one handler, with a certificate from an
// authority of its own. A client that trusts the authority takes the handler for whatever host it
// calls, such as the real provider.
type Internet struct {
	URL       string // of the proxy, as in HTTPS_PROXY
	Authority []byte // the authority's certificate, PEM

	signer  *x509.Certificate
	key     *ecdsa.PrivateKey
	proxy   *httptest.Server
	hosts   http.Server
	arrived chan net.Conn
	closed  chan struct{}
}

// NewInternet starts a proxy. The caller closes it.
func NewInternet(h http.Handler) (*Internet, error) {
	n := &Internet{arrived: make(chan net.Conn), closed: make(chan struct{})}
	var err error
	if n.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, err
	}
	n.signer = &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of a test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, n.signer, n.signer, n.key.Public(), n.key)
	if err != nil {
		return nil, err
	}
	n.Authority = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	n.hosts = http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = n.hosts.Serve(tls.NewListener(n, &tls.Config{GetCertificate: n.certificate})) }()
	n.proxy = httptest.NewServer(http.HandlerFunc(n.connect))
	n.URL = n.proxy.URL
	return n, nil
}

// certificate makes the certificate of the host that a client wants.
func (n *Internet) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	leaf := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), NotBefore: n.signer.NotBefore,
		NotAfter: n.signer.NotAfter, DNSNames: []string{hello.ServerName}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(rand.Reader, leaf, n.signer, n.key.Public(), n.key)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: n.key}, err
}

func (n *Internet) connect(w http.ResponseWriter, r *http.Request) {
	hijacker, ok := w.(http.Hijacker)
	if r.Method != http.MethodConnect || !ok {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	conn, _, err := hijacker.Hijack()
	if err != nil {
		return
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		conn.Close()
		return
	}
	select {
	case n.arrived <- conn:
	case <-n.closed:
		conn.Close()
	}
}

// Accept implements net.Listener for the hosts.
func (n *Internet) Accept() (net.Conn, error) {
	select {
	case conn := <-n.arrived:
		return conn, nil
	case <-n.closed:
		return nil, errors.New("closed")
	}
}

// Addr implements net.Listener.
func (n *Internet) Addr() net.Addr { return n.proxy.Listener.Addr() }

// Close implements net.Listener. It ends the proxy and its connections.
func (n *Internet) Close() error {
	select {
	case <-n.closed:
		return nil
	default:
		close(n.closed)
	}
	n.proxy.Close()
	return n.hosts.Close()
}
