package record

import (
	"context"
	"slices"
)

// The limits of what recordings hold that are idle. mostOpen is the memory of those whose context is open; it is more
// only while more of them have calls under way. Tests change it.
var mostOpen int64 = 24 << 20

// memorySize estimates the memory of an open recording: that of its context, of its list of blocks, and of what the context
// read.
func (l *recording) memorySize() int64 {
	_, size := l.c.Working().ThreadSize()
	return 16<<10 + 5*size
}

// noteUse notes that a recording is used, and what it holds now.
func (k *recordingIndex) noteUse(l *recording) {
	if l.element == nil {
		l.element = k.open.PushFront(l)
	}
	k.open.MoveToFront(l.element)
	k.size -= l.size
	l.size = l.memorySize()
	k.size += l.size
	if len(l.open)+len(l.had) > 0 {
		k.calling[l] = true
	} else {
		delete(k.calling, l)
	}
}

// mostArgument is how long an argument may be that a recording keeps which is not open.
const mostArgument = 4 << 10

// closeUnused closes the contexts that were not used for longest, until the others hold little enough. What a request is
// compared with to find its recording stays.
func (k *recordingIndex) closeUnused() {
	for at := k.open.Back(); at != nil && k.size > mostOpen; {
		l := at.Value.(*recording)
		at = at.Prev()
		if at == nil || l.underWay > 0 {
			continue
		}
		for id := range l.answers {
			if id != l.lastAnswer {
				delete(l.answers, id)
				delete(k.answers, id)
			}
		}
		k.open.Remove(l.element)
		k.size -= l.size
		delete(k.calling, l)
		l.element, l.size = nil, 0
		l.c, l.listed, l.last, l.said, l.had = nil, listing{}, nil, "", nil
		l.frames = frames{}
		for i := range l.open {
			l.open[i].arguments = slices.DeleteFunc(l.open[i].arguments, func(a string) bool { return len(a) > mostArgument })
		}
	}
}

// reopen opens the context of a recording again, and notes that it is used.
func (r *Recorder) reopen(ctx context.Context, l *recording) error {
	if l.c == nil {
		again, err := openRecording(ctx, r.store, l.name, r.recordingOptions())
		if err != nil {
			return err
		}
		l.c, l.listed, l.last, l.said, l.tried = again.c, again.listed, again.last, again.said, again.tried
	}
	r.recordings.noteUse(l)
	return nil
}
