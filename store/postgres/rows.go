package postgres

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// The types of parameters and columns, as the protocol numbers them.
const (
	typeUnknown = 0 // of NULL, which takes the type of its target
	typeBool    = 16
	typeBytea   = 17
	typeBigint  = 20
	typeInteger = 23
)

// inBinary says that all parameters, or all columns, are in binary form.
var inBinary = []int16{1}

// parameters are the parameters of a statement.
type parameters struct {
	values [][]byte
	types  []uint32
	bytes  int
}

// parametersOf encodes the values of parameters with their types, so that the server need not
// find them out.
func parametersOf(args []driver.NamedValue) (p parameters, err error) {
	p.values, p.types = make([][]byte, len(args)), make([]uint32, len(args))
	for i, a := range args {
		switch v := a.Value.(type) {
		case nil:
			p.types[i] = typeUnknown
		case int64:
			p.values[i], p.types[i] = binary.BigEndian.AppendUint64(nil, uint64(v)), typeBigint
		case []byte:
			if v != nil {
				p.values[i] = v
			}
			p.types[i] = typeBytea
		default:
			return p, fmt.Errorf("a parameter has the type %T", v)
		}
		p.bytes += len(p.values[i])
	}
	return p, nil
}

// valueOf decodes the value of a column.
func valueOf(data []byte, oid uint32) (driver.Value, error) {
	switch {
	case data == nil:
		return nil, nil
	case oid == typeBigint && len(data) == 8:
		return int64(binary.BigEndian.Uint64(data)), nil
	case oid == typeInteger && len(data) == 4:
		return int64(int32(binary.BigEndian.Uint32(data))), nil
	case oid == typeBool && len(data) == 1:
		return data[0] != 0, nil
	case oid == typeBytea:
		return append([]byte{}, data...), nil
	}
	return nil, fmt.Errorf("a column has the type %d", oid)
}

// rows are the rows of a query, read one by one as the caller asks for them.
type rows struct {
	conn    *conn
	results *pgconn.MultiResultReader
	reader  *pgconn.ResultReader // nil if there is no result
	ahead   bool                 // a row was read and not yet returned
}

// Columns implements driver.Rows.
func (r *rows) Columns() []string {
	if r.reader == nil {
		return nil
	}
	names := make([]string, len(r.reader.FieldDescriptions()))
	for i, f := range r.reader.FieldDescriptions() {
		names[i] = f.Name
	}
	return names
}

// Next implements driver.Rows.
func (r *rows) Next(dest []driver.Value) error {
	if r.reader == nil || !r.ahead && !r.reader.NextRow() {
		if err := r.Close(); err != nil {
			return err
		}
		return io.EOF
	}
	r.ahead = false
	fields := r.reader.FieldDescriptions()
	for i, data := range r.reader.Values() {
		var err error
		if dest[i], err = valueOf(data, fields[i].DataTypeOID); err != nil {
			return err
		}
	}
	return nil
}

// Close implements driver.Rows.
func (r *rows) Close() error {
	if r.results == nil {
		return nil
	}
	err := r.results.Close()
	r.results, r.conn.used = nil, time.Now()
	r.conn.discard(err)
	return err
}
