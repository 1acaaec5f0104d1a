package sqlite_test

import (
	"strings"
	"sync"
	"testing"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// disk stands between SQLite and the files below one directory: it counts what
// SQLite does there, fails what it is told to fail, and writes down what changes
// a file. It takes the place of the default VFS of SQLite and hands everything on
// to that.
type disk struct {
	mu     sync.Mutex
	dir    string             // of the files that count, "" for none
	names  map[uintptr]string // of open files below dir
	calls  int                // so far
	fail   int                // the call to fail, from 1; 0 for none
	stays  bool               // so do all calls after that one
	record bool
	done   []action
}

// action is something that changes a file, or makes the changes before it
// durable.
type action struct {
	kind   byte // 'w'rite, 't'runcate, 's'ync, 'd'elete
	file   string
	offset int64 // or size
	data   []byte
}

var (
	theDisk  = &disk{names: map[uintptr]string{}}
	diskOnce sync.Once
	unixVFS  *lib.Tsqlite3_vfs
	methods  = map[uintptr]uintptr{} // tables of methods, by those that they stand for
	keep     []any                   // functions that only SQLite knows of
)

// at returns the object at an address of SQLite.
func at[T any](p uintptr) *T { return (*T)(*(*unsafe.Pointer)(unsafe.Pointer(&p))) }

func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// outside copies a value to memory that is not Go's, for good. The race detector
// ends a program in which SQLite follows an address of its own into Go's memory.
func outside[T any](tls *libc.TLS, v T) uintptr {
	p := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(v)))
	*at[T](p) = v
	return p
}

// callable is a function as SQLite takes it.
func callable(f any) uintptr {
	keep = append(keep, f)
	return (*[2]uintptr)(unsafe.Pointer(&f))[1]
}

// call turns what callable gives back into a function.
func call[F any](p uintptr) F {
	f := &struct{ p uintptr }{p}
	return *(*F)(unsafe.Pointer(f))
}

type (
	opening   = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32
	deleting  = func(tls *libc.TLS, vfs, name uintptr, sync int32) int32
	moving    = func(tls *libc.TLS, file, buf uintptr, n int32, offset int64) int32
	cutting   = func(tls *libc.TLS, file uintptr, size int64) int32
	flagged   = func(tls *libc.TLS, file uintptr, flags int32) int32
	closing   = func(tls *libc.TLS, file uintptr) int32
	measuring = func(tls *libc.TLS, file, size uintptr) int32
	mapping   = func(tls *libc.TLS, file uintptr, region, size, extend int32, out uintptr) int32
)

// useDisk has the files below a directory go through the disk until the test
// ends. One test at a time may do that.
func useDisk(t *testing.T, dir string) *disk {
	diskOnce.Do(func() {
		tls := libc.NewTLS()
		unixVFS = at[lib.Tsqlite3_vfs](lib.Xsqlite3_vfs_find(tls, 0))
		diskVFS := *unixVFS
		diskVFS.FpNext, diskVFS.FzName = 0, outside(tls, [5]byte{'d', 'i', 's', 'k'})
		diskVFS.FxOpen, diskVFS.FxDelete = callable(opening(theDisk.open)), callable(deleting(theDisk.delete))
		if rc := lib.Xsqlite3_vfs_register(tls, outside(tls, diskVFS), 1); rc != 0 {
			t.Fatalf("the disk is not taken: %d", rc)
		}
	})
	d := theDisk
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dir, d.calls, d.fail, d.stays, d.record, d.done = dir, 0, 0, false, false, nil
	return d
}

// step counts a call and reports whether it fails.
func (d *disk) step(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if name == "" || d.dir == "" || !strings.HasPrefix(name, d.dir) {
		return false
	}
	d.calls++
	return d.fail > 0 && (d.calls == d.fail || d.stays && d.calls > d.fail)
}

func (d *disk) name(file uintptr) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.names[file]
}

func (d *disk) note(rc int32, a action) int32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.record && rc == 0 && strings.HasPrefix(a.file, d.dir) && a.file != "" {
		a.file = strings.TrimPrefix(a.file, d.dir)
		d.done = append(d.done, a)
	}
	return rc
}

func (d *disk) open(tls *libc.TLS, _, name, file uintptr, flags int32, out uintptr) int32 {
	path := ""
	if name != 0 {
		path = libc.GoString(name)
	}
	if d.step(path) {
		at[lib.Tsqlite3_file](file).FpMethods = 0
		return lib.SQLITE_CANTOPEN
	}
	rc := call[opening](unixVFS.FxOpen)(tls, address(unixVFS), name, file, flags, out)
	if f := at[lib.Tsqlite3_file](file); rc == 0 && f.FpMethods != 0 {
		d.mu.Lock()
		d.names[file] = path
		f.FpMethods = d.methods(tls, f.FpMethods)
		d.mu.Unlock()
	}
	return rc
}

func (d *disk) delete(tls *libc.TLS, _, name uintptr, sync int32) int32 {
	path := libc.GoString(name)
	if d.step(path) {
		return lib.SQLITE_IOERR_DELETE
	}
	return d.note(call[deleting](unixVFS.FxDelete)(tls, address(unixVFS), name, sync), action{kind: 'd', file: path})
}

// methods are those of a file, with what the disk looks at in between.
func (d *disk) methods(tls *libc.TLS, of uintptr) uintptr {
	if m := methods[of]; m != 0 {
		return m
	}
	was := at[lib.Tsqlite3_io_methods](of)
	m := *was
	read, write := call[moving](was.FxRead), call[moving](was.FxWrite)
	m.FxRead = callable(moving(func(tls *libc.TLS, file, buf uintptr, n int32, offset int64) int32 {
		if d.step(d.name(file)) {
			return lib.SQLITE_IOERR_READ
		}
		return read(tls, file, buf, n, offset)
	}))
	m.FxWrite = callable(moving(func(tls *libc.TLS, file, buf uintptr, n int32, offset int64) int32 {
		if d.step(d.name(file)) {
			return lib.SQLITE_IOERR_WRITE
		}
		data := append([]byte(nil), unsafe.Slice(at[byte](buf), n)...)
		return d.note(write(tls, file, buf, n, offset), action{kind: 'w', file: d.name(file), offset: offset, data: data})
	}))
	truncate := call[cutting](was.FxTruncate)
	m.FxTruncate = callable(cutting(func(tls *libc.TLS, file uintptr, size int64) int32 {
		if d.step(d.name(file)) {
			return lib.SQLITE_IOERR_TRUNCATE
		}
		return d.note(truncate(tls, file, size), action{kind: 't', file: d.name(file), offset: size})
	}))
	sync := call[flagged](was.FxSync)
	m.FxSync = callable(flagged(func(tls *libc.TLS, file uintptr, flags int32) int32 {
		if d.step(d.name(file)) {
			return lib.SQLITE_IOERR_FSYNC
		}
		return d.note(sync(tls, file, flags), action{kind: 's', file: d.name(file)})
	}))
	size := call[measuring](was.FxFileSize)
	m.FxFileSize = callable(measuring(func(tls *libc.TLS, file, into uintptr) int32 {
		if d.step(d.name(file)) {
			return lib.SQLITE_IOERR_FSTAT
		}
		return size(tls, file, into)
	}))
	lock := call[flagged](was.FxLock)
	m.FxLock = callable(flagged(func(tls *libc.TLS, file uintptr, flags int32) int32 {
		if d.step(d.name(file)) {
			return lib.SQLITE_IOERR_LOCK
		}
		return lock(tls, file, flags)
	}))
	if was.FxShmMap != 0 {
		shm := call[mapping](was.FxShmMap)
		m.FxShmMap = callable(mapping(func(tls *libc.TLS, file uintptr, region, size, extend int32, out uintptr) int32 {
			if d.step(d.name(file)) {
				*at[uintptr](out) = 0
				return lib.SQLITE_IOERR_SHMMAP
			}
			return shm(tls, file, region, size, extend, out)
		}))
	}
	end := call[closing](was.FxClose)
	m.FxClose = callable(closing(func(tls *libc.TLS, file uintptr) int32 {
		d.mu.Lock()
		delete(d.names, file)
		d.mu.Unlock()
		return end(tls, file)
	}))
	methods[of] = outside(tls, m)
	return methods[of]
}
