package profiles

import "golang.org/x/sys/unix"

// A sample holds the word at the top of the stack.
const (
	perfExtra     = unix.PERF_SAMPLE_STACK_USER
	perfRegisters = 0
	perfStackSize = 8
)

// returnWord returns that word, from what follows the call chain of a sample; 0 if there is none.
func returnWord(words []uint64) uint64 {
	if len(words) < 3 || words[0] != perfStackSize || words[2] != perfStackSize {
		return 0
	}
	return words[1]
}

// caller returns the address to which a leaf returns that has not made a frame, so that the chain lacks its
// caller; 0 if it has. Then the word at the top of the stack follows a call of that function. The body of
// an assembly function, whose name has no package, is jumped to from the function that is called.
func (s *symbols) caller(leaf, word, _ uint64) uint64 {
	f, to := s.entry(leaf), s.called(word)
	if to == 0 || f.name == "" {
		return 0
	}
	if to == f.entry || f.body() && s.entry(to).entry == to {
		return word
	}
	return 0
}

// called returns the target of the direct call before an address; 0 if there is none.
func (s *symbols) called(after uint64) uint64 {
	if to, ok := s.calls[after]; ok {
		return to
	}
	var to uint64
	var code [5]byte // CALL rel32
	if s.entry(after).name != "" && s.memory != nil {
		if _, err := s.memory.ReadAt(code[:], int64(after)-int64(len(code))); err == nil && code[0] == 0xe8 {
			distance := int32(code[1]) | int32(code[2])<<8 | int32(code[3])<<16 | int32(code[4])<<24
			to = after + uint64(int64(distance))
		}
	}
	s.calls[after] = to
	return to
}
