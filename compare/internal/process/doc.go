// Package process reads what the system knows about another process. Call [CPU], or [Tree].
package process
