"""Reads CSV on standard input, tables of one column one after another, and prints the values without their headings."""

import csv
import sys

sys.stdout.reconfigure(newline="\n")
for row in csv.reader(sys.stdin):
    if row[0] != "demo_line":
        print(row[0])
