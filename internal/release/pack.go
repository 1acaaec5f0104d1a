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
	"slices"
	"strings"
	"time"
)

// packed is the time of every file in an archive: that of the build would change the
// bytes. Zip has no earlier one.
var packed = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// packedFile is a file of an archive.
type packedFile struct {
	name  string
	data  []byte // of a link what it names
	mode  os.FileMode
	owner int // user and group in a tar file
}

// readAll reads files, by their names in an archive. Those that are named once more may be executed.
func readAll(paths map[string]string, programs ...string) (files []packedFile, err error) {
	for name, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		mode := os.FileMode(0o644)
		if slices.Contains(programs, name) {
			mode = 0o755
		}
		files = append(files, packedFile{name: name, data: data, mode: mode})
	}
	sortFiles(files)
	return files, nil
}

func sortFiles(files []packedFile) {
	slices.SortFunc(files, func(a, b packedFile) int { return strings.Compare(a.name, b.name) })
}

// written writes a file of a release, and returns its path.
func written(dir, name string, write func(io.Writer) error) (string, error) {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	return path, os.WriteFile(path, b.Bytes(), 0o644)
}

// pack writes files into an archive, below a directory with its name: a zip file, or
// a tar file compressed by gzip. The first file may be executed.
func pack(dir, name string, asZip bool, paths []string) (string, error) {
	inside := map[string]string{}
	for _, path := range paths {
		inside[name+"/"+filepath.Base(path)] = path
	}
	files, err := readAll(inside, name+"/"+filepath.Base(paths[0]))
	if err != nil {
		return "", err
	}
	if asZip {
		return written(dir, name+".zip", func(w io.Writer) error { return zipped(w, files) })
	}
	return written(dir, name+".tar.gz", func(w io.Writer) error { return tarred(w, files) })
}

// tarred writes a tar file that gzip compresses.
func tarred(w io.Writer, files []packedFile) error {
	z := gzip.NewWriter(w)
	if err := tarredTo(z, files); err != nil {
		return err
	}
	return z.Close()
}

func tarredTo(w io.Writer, files []packedFile) error {
	t := tar.NewWriter(w)
	for _, file := range files {
		h := &tar.Header{Name: file.name, Mode: int64(file.mode.Perm()), Size: int64(len(file.data)), ModTime: packed,
			Uid: file.owner, Gid: file.owner, Format: tar.FormatUSTAR}
		switch {
		case file.mode&os.ModeDir != 0:
			h.Typeflag = tar.TypeDir
		case file.mode&os.ModeSymlink != 0:
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, string(file.data), 0
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if h.Size > 0 {
			if _, err := t.Write(file.data); err != nil {
				return err
			}
		}
	}
	return t.Close()
}

func zipped(w io.Writer, files []packedFile) error {
	z := zip.NewWriter(w)
	for _, file := range files {
		h := &zip.FileHeader{Name: file.name, Method: zip.Deflate, Modified: packed}
		h.SetMode(file.mode)
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(file.data); err != nil {
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
