package intake

import (
	"os"
	"time"

	"github.com/contexttree/pact/fault"
)

// growingFile reads a file to whose end somebody may write meanwhile, and in which nobody may change anything else.
// Cost: a question to the system for each read.
type growingFile struct {
	*os.File
	last os.FileInfo // the file when it was looked at last
}

// appending is how long a write to the end of a file may have changed its time and not yet its size.
const appending = 100 * time.Millisecond

// ReadAt returns E_CONFLICT, and nothing of the file, if it has become shorter, or was written without becoming longer.
func (s *growingFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := s.File.ReadAt(p, at)
	for waited := time.Duration(0); ; waited += appending / 10 {
		now, failed := s.Stat()
		if failed != nil {
			return 0, failed
		}
		written := !now.ModTime().Equal(s.last.ModTime())
		if now.Size() > s.last.Size() || now.Size() == s.last.Size() && !written {
			s.last = now
			return n, err
		}
		if now.Size() < s.last.Size() || waited >= appending {
			return 0, fault.New(fault.Conflict, "the file was changed while it was read", "import it again")
		}
		time.Sleep(appending / 10)
	}
}
