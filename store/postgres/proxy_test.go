//go:build unix

package postgres_test

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// proxy stands before a server. It cuts connections, goes silent without closing
// them, or has the server refuse transactions.
type proxy struct {
	port string
	mu   sync.Mutex
	open map[net.Conn]bool
	cuts int

	mute   atomic.Bool  // take everything and answer nothing
	refuse float64      // how likely a statement is refused with 40001, from 0 to 1
	thrown atomic.Int64 // statements that were
}

// intercept listens on this machine alone and hands on to a socket.
func intercept(t testing.TB, socket string) *proxy { return interceptAndRefuse(t, socket, 0) }

// interceptAndRefuse does so, and has some statements refused.
func interceptAndRefuse(t testing.TB, socket string, refuse float64) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	_, port, err := net.SplitHostPort(l.Addr().String())
	must(t, err)
	p := &proxy{port: port, refuse: refuse, open: make(map[net.Conn]bool)}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			behind, err := net.Dial("unix", socket)
			if err != nil {
				client.Close()
				continue
			}
			p.mu.Lock()
			p.open[client] = true
			p.mu.Unlock()
			go p.ask(client, behind)
			go p.hand(behind, client)
		}
	}()
	return p
}

// ask hands on what the client says.
func (p *proxy) ask(client, behind net.Conn) {
	if p.refuse == 0 {
		p.hand(client, behind)
		return
	}
	defer behind.Close()
	defer client.Close()
	for started := false; ; {
		head := make([]byte, 5)
		if !started {
			head = head[1:] // the first messages have no type
		}
		if _, err := io.ReadFull(client, head); err != nil {
			return
		}
		message := make([]byte, len(head)+int(binary.BigEndian.Uint32(head[len(head)-4:]))-4)
		copy(message, head)
		if _, err := io.ReadFull(client, message[len(head):]); err != nil {
			return
		}
		if !started {
			const wantsTLS = 80877103
			started = binary.BigEndian.Uint32(message[4:]) != wantsTLS
		} else if isStatement(message) && rand.Float64() < p.refuse {
			p.thrown.Add(1)
			message = append(refusal(), message...)
		}
		if _, err := behind.Write(message); err != nil {
			return
		}
	}
}

// isStatement reports whether a message prepares a statement that a transaction can
// be refused at: one that gives a transaction up has to come through.
func isStatement(message []byte) bool {
	return message[0] == 'P' && !strings.Contains(string(message[5:]), "ROLLBACK")
}

// refusal are the messages of a statement that the server answers with SQLSTATE
// 40001. It gives up the transaction then, as it does where it says so by itself,
// and passes over what the client sent along.
func refusal() []byte {
	const query = `DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$`
	var list []byte
	list = appendMessage(list, 'P', "\x00"+query+"\x00\x00\x00")        // no name, no types
	list = appendMessage(list, 'B', "\x00\x00\x00\x00\x00\x00\x00\x00") // no parameters
	return appendMessage(list, 'E', "\x00\x00\x00\x00\x00")             // all rows
}

func appendMessage(list []byte, kind byte, body string) []byte {
	list = binary.BigEndian.AppendUint32(append(list, kind), uint32(len(body)+4))
	return append(list, body...)
}

// hand hands on what comes in small pieces, so that a cut hits messages too.
func (p *proxy) hand(from, to net.Conn) {
	defer to.Close()
	defer from.Close()
	for buf := make([]byte, 512); ; {
		n, err := from.Read(buf)
		if n > 0 && !p.mute.Load() {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// cut cuts one connection.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open { // in no order
		c.Close()
		delete(p.open, c)
		p.cuts++
		return
	}
}
