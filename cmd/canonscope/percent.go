package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// percent is a flag such as 5%, kept as 0.05.
type percent float64

// addBand makes it the flag --band.
func (p *percent) addBand(cmd *cobra.Command) {
	cmd.Flags().Var(p, "band", "ratios within this `PERCENT` of 1 are equivalent")
}

// String, Set and Type implement pflag.Value.
func (p *percent) String() string {
	if *p == 0 {
		return ""
	}
	return strconv.FormatFloat(100*float64(*p), 'g', 4, 64) + "%"
}

func (p *percent) Set(text string) error {
	number, isPercent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if isPercent {
		v /= 100
	}
	if err != nil || !(v > 0 && v < 1) {
		return errors.New("want a percentage such as 5%, above 0 and below 100")
	}
	*p = percent(v)
	return nil
}

func (p *percent) Type() string { return "PERCENT" }
