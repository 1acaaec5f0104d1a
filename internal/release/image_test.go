package main

import (
	"crypto/x509"
	"testing"
)

// A program in the image knows a provider by the certificates there.
func TestTheCertificatesOfTheImageAreTaken(t *testing.T) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(certificates()) || pool.Equal(x509.NewCertPool()) {
		t.Error("the file has no certificate")
	}
}
