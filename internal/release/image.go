package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"strings"

	roots "golang.org/x/crypto/x509roots/fallback/bundle"
)

// image writes a container image for Linux as an OCI archive, "" for another system: the binary with its licences, a
// user without rights, a folder of that user for the store, and the certificates by which it knows providers.
func image(dir, version, platform, binary string) (string, error) {
	system, processor, _ := strings.Cut(platform, "/")
	if system != "linux" {
		return "", nil
	}
	files, err := readAll(map[string]string{"pact": binary, "LICENSE": "LICENSE", "THIRD_PARTY_NOTICES.txt": "THIRD_PARTY_NOTICES.txt"}, "pact")
	if err != nil {
		return "", err
	}
	files = append(files, packedFile{name: "data/", mode: os.ModeDir | 0o700, owner: nobody},
		packedFile{name: "etc/ssl/certs/ca-certificates.crt", data: certificates(), mode: 0o644})
	var layer, plain bytes.Buffer
	if err := tarredTo(&plain, files); err != nil {
		return "", err
	}
	if err := tarred(&layer, files); err != nil {
		return "", err
	}
	user := fmt.Sprintf("%d:%d", nobody, nobody)
	i := &imageWriter{}
	config := i.json("application/vnd.oci.image.config.v1+json", map[string]any{"architecture": processor, "os": system,
		"config": map[string]any{"User": user, "Env": []string{"PACT_DB=/data/pact.db"}, "Entrypoint": []string{"/pact"}, "Cmd": []string{"serve", "--help"},
			"Volumes": map[string]any{"/data": struct{}{}}, "ExposedPorts": map[string]any{"7741/tcp": struct{}{}},
			"Labels": map[string]any{"org.opencontainers.image.version": version, "org.opencontainers.image.licenses": "Apache-2.0"}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{digest(plain.Bytes())}}})
	manifest := i.json("application/vnd.oci.image.manifest.v1+json", map[string]any{"schemaVersion": 2,
		"mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config,
		"layers": []any{i.blob("application/vnd.oci.image.layer.v1.tar+gzip", layer.Bytes())}})
	manifest["platform"] = map[string]any{"architecture": processor, "os": system}
	manifest["annotations"] = map[string]any{"org.opencontainers.image.ref.name": version}
	i.files = append(i.files, packedFile{"oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`), 0o644, 0},
		packedFile{"index.json", i.text(map[string]any{"schemaVersion": 2, "manifests": []any{manifest}}), 0o644, 0})
	if i.err != nil {
		return "", i.err
	}
	return written(dir, "pact_"+version+"_"+system+"_"+processor+".oci.tar", func(w io.Writer) error { return tarredTo(w, i.files) })
}

// certificates returns those that Mozilla trusts without a condition, in the order of the bundle.
func certificates() (text []byte) {
	for root := range roots.Roots() {
		if root.Constraint == nil {
			text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})...)
		}
	}
	return text
}

// nobody is the user and the group of the image.
const nobody = 65532

func digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// imageWriter collects the blobs of an image.
type imageWriter struct {
	files []packedFile
	err   error
}

func (i *imageWriter) text(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		i.err = err
	}
	return text
}

func (i *imageWriter) json(kind string, v any) map[string]any { return i.blob(kind, i.text(v)) }

// blob adds a blob and returns its descriptor.
func (i *imageWriter) blob(kind string, data []byte) map[string]any {
	sum := digest(data)
	i.files = append(i.files, packedFile{"blobs/sha256/" + strings.TrimPrefix(sum, "sha256:"), data, 0o644, 0})
	return map[string]any{"mediaType": kind, "digest": sum, "size": len(data)}
}
