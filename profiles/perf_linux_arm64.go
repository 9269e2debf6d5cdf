package profiles

import "golang.org/x/sys/unix"

// A sample holds the link register.
const (
	perfExtra     = unix.PERF_SAMPLE_REGS_USER
	perfRegisters = 1 << 30
	perfStackSize = 0
)

// returnWord returns that register, from what follows the call chain of a sample; 0 if there is none.
func returnWord(words []uint64) uint64 {
	if len(words) < 2 || words[0] == 0 {
		return 0
	}
	return words[1]
}

// caller returns the address to which a leaf returns that has not made a frame, so that the chain lacks its
// caller; 0 if it has. In a function with a frame, the link register holds the return address that is in the
// chain, or an address of the function itself, where its last callee returned.
func (s *symbols) caller(leaf, word, next uint64) uint64 {
	f, to := s.entry(leaf), s.entry(word)
	if f.name == "" || to.name == "" || to.entry == f.entry || word == next {
		return 0
	}
	return word
}
