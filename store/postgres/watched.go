package postgres

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// silence is how long a connection may be silent while the driver waits, before watched asks
// the server on another connection whether it is there. broken is how long a path may take no
// data.
const (
	silence = 15 * time.Second
	broken  = 20 * time.Second
)

// watched is a connection whose other end may go silent without closing it. A statement may
// take long, so silence alone ends nothing: the connection times out if the server does not
// answer on a new connection either.
type watched struct {
	net.Conn
	silence time.Duration
	alive   func() bool

	mu              sync.Mutex
	readBy, writeBy time.Time // that the driver set; zero for none
}

// watch makes a connection fail in bounded time when nothing is on the other end. For a broken
// path it relies on TCP.
func watch(c net.Conn, silence time.Duration, alive func() bool) (net.Conn, error) {
	if tcp, ok := c.(*net.TCPConn); ok {
		err := tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: broken / 2, Interval: broken / 8, Count: 4})
		if err = errors.Join(err, giveUpAfter(tcp, broken)); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return &watched{Conn: c, silence: silence, alive: alive}, nil
}

// soonest returns when to ask whether the server is there, or the deadline of the driver if
// that comes first.
func (w *watched) soonest(deadline time.Time) time.Time {
	look := time.Now().Add(w.silence)
	if !deadline.IsZero() && deadline.Before(look) {
		return deadline
	}
	return look
}

func (w *watched) SetDeadline(t time.Time) error {
	return errors.Join(w.SetReadDeadline(t), w.SetWriteDeadline(t))
}

func (w *watched) SetReadDeadline(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.readBy = t
	return w.Conn.SetReadDeadline(w.soonest(t))
}

func (w *watched) SetWriteDeadline(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeBy = t
	return w.Conn.SetWriteDeadline(w.soonest(t))
}

func (w *watched) Read(buf []byte) (n int, err error) {
	err = w.patiently(&w.readBy, w.Conn.SetReadDeadline, func() error {
		n, err = w.Conn.Read(buf)
		return err
	})
	return n, err
}

func (w *watched) Write(data []byte) (n int, err error) {
	err = w.patiently(&w.writeBy, w.Conn.SetWriteDeadline, func() error {
		wrote, err := w.Conn.Write(data[n:])
		n += wrote
		return err
	})
	return n, err
}

// patiently calls f until it does not time out, the deadline of the driver is over, or the
// server is gone.
func (w *watched) patiently(by *time.Time, set func(time.Time) error, f func() error) error {
	for {
		w.mu.Lock()
		err := set(w.soonest(*by))
		w.mu.Unlock()
		if err != nil {
			return err
		}
		if err = f(); !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		w.mu.Lock()
		over := !by.IsZero() && !time.Now().Before(*by)
		w.mu.Unlock()
		if over || !w.alive() {
			return err
		}
	}
}

var errOther = errors.New("another server")

// watching returns a configuration whose connections are watched.
func watching(config *pgconn.Config, silence, patience time.Duration) *pgconn.Config {
	plain, watched := config.Copy(), config.Copy()
	alive := func(address string) bool {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		same := plain.Copy()
		same.DialFunc = func(ctx context.Context, network, to string) (net.Conn, error) {
			if to != address { // of several servers another one may have taken over
				return nil, errOther
			}
			return plain.DialFunc(ctx, network, to)
		}
		pg, err := pgconn.ConnectConfig(ctx, same)
		if err != nil {
			return codeOf(err) != "" // a refusal is an answer, too
		}
		_ = pg.Close(ctx) // it answered
		return true
	}
	watched.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := plain.DialFunc(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return watch(c, silence, func() bool { return alive(address) })
	}
	return watched
}
