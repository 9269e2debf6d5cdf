//go:build linux && (amd64 || arm64)

package profiles

import (
	"encoding/binary"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ring is the memory that the kernel shares with the reader of an event.
type ring struct {
	mem  []byte
	meta *unix.PerfEventMmapPage
	data []byte
	wrap []byte // a record that goes round the end
}

// mapRing maps the ring of an event, with size bytes of data, a power of two.
func mapRing(fd, size int) (*ring, error) {
	page := os.Getpagesize()
	mem, err := unix.Mmap(fd, 0, page+max(size, page), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return &ring{mem: mem, meta: (*unix.PerfEventMmapPage)(unsafe.Pointer(&mem[0])), data: mem[page:]}, nil
}

// drain passes each record to f, which must not keep it, and frees its place.
func (r *ring) drain(f func(record []byte)) {
	head, tail := atomic.LoadUint64(&r.meta.Data_head), r.meta.Data_tail
	size := uint64(len(r.data))
	for tail < head {
		at := tail % size
		n := uint64(binary.NativeEndian.Uint16(r.data[at+6:])) // records are aligned, so a header is whole
		if n < 8 {
			break // no record is so short; not reached
		}
		record := r.data[at:min(at+n, size)]
		if at+n > size {
			r.wrap = append(append(r.wrap[:0], record...), r.data[:at+n-size]...)
			record = r.wrap
		}
		f(record)
		tail += n
		atomic.StoreUint64(&r.meta.Data_tail, tail)
	}
}

func (r *ring) close() { _ = unix.Munmap(r.mem) }
