package foreign

// Pid is the number of the process of a child.
func Pid(c *Child) int { return c.cmd.Process.Pid }
