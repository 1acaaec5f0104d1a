package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// packed is the time of every file in an archive: that of the build would change the
// bytes. Zip has no earlier one.
var packed = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// pack writes files into an archive, below a directory with its name: a zip file, or
// a tar file compressed by gzip. The first file may be executed.
func pack(dir, name string, asZip bool, files []string) (string, error) {
	var b bytes.Buffer
	var err error
	if asZip {
		name, err = name+".zip", zipped(&b, name, files)
	} else {
		name, err = name+".tar.gz", tarred(&b, name, files)
	}
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	return path, os.WriteFile(path, b.Bytes(), 0o644)
}

func mode(i int) os.FileMode {
	if i == 0 {
		return 0o755
	}
	return 0o644
}

func tarred(w io.Writer, name string, files []string) error {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		err = t.WriteHeader(&tar.Header{Name: name + "/" + filepath.Base(file), Mode: int64(mode(i)), Size: int64(len(data)),
			ModTime: packed, Format: tar.FormatPAX})
		if err != nil {
			return err
		}
		if _, err := t.Write(data); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

func zipped(w io.Writer, name string, files []string) error {
	z := zip.NewWriter(w)
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: name + "/" + filepath.Base(file), Method: zip.Deflate, Modified: packed}
		h.SetMode(mode(i))
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(data); err != nil {
			return err
		}
	}
	return z.Close()
}

// sums writes SHA256SUMS in the form that sha256sum --check reads.
func sums(dir string, names []string) error {
	var b bytes.Buffer
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), name)
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), b.Bytes(), 0o644)
}
